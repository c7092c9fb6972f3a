// Role: the pages about the cluster, loaded together: each alone would cost as much again.

export {default as audit} from '../pages/audit/page.tsx';
export {default as cluster} from '../pages/cluster/page.tsx';
export {default as config} from '../pages/config/page.tsx';
export {default as host} from '../pages/host/page.tsx';
export {default as plans} from '../pages/plans/page.tsx';
export {default as queues} from '../pages/queues/page.tsx';
export {default as usage} from '../pages/usage/page.tsx';
