// Role: the pages about services, loaded together.

export {default as service} from '../pages/service/page.tsx';
export {default as services} from '../pages/services/page.tsx';
