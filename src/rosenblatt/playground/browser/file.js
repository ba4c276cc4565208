// The points of a file, where `rosenblatt play FILE --static` has put them into the page; else there are none.
export const FILE = null;
