// Role: the small pages about assets, loaded together: each alone would cost as much again.

export {default as connections} from '../pages/connections/page.tsx';
export {default as frameworks} from '../pages/frameworks/page.tsx';
export {default as models} from '../pages/models/page.tsx';
export {default as project} from '../pages/project/page.tsx';
export {default as projects} from '../pages/projects/page.tsx';
export {default as space} from '../pages/space/page.tsx';
export {default as spaces} from '../pages/spaces/page.tsx';
