// Role: the pages that people open first, as one file: they show jobs in the same ways.

export {default as applications} from '../pages/applications/page.tsx';
export {default as home} from '../pages/home/page.tsx';
