// Role: the pages about searches, and on which experiments are made, loaded together: they share
// most of what they need.

export {default as newExperiment} from '../pages/experiment/page.tsx';
export {default as newSearch} from '../pages/new_search/page.tsx';
export {default as search} from '../pages/search/page.tsx';
export {default as searches} from '../pages/searches/page.tsx';
