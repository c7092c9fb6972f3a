// Role: pages of one's own, loaded together: runs, several beside each other, account, help.

export {default as account} from '../pages/account/page.tsx';
export {default as compare} from '../pages/compare/page.tsx';
export {default as help} from '../pages/help/page.tsx';
export {default as notebooks} from '../pages/notebooks/page.tsx';
export {default as runs} from '../pages/runs/page.tsx';
