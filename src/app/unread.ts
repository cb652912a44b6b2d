/** How many notices are unread, in words. They are counted to 100. */
export const unreadWords = (unread: number): string => (unread > 99 ? '99+' : String(unread));
