/** The cookie's value; undefined where the browser sent none of this name. */
export const textIn = (request: Request, name: string): string | undefined => {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value] = part.split('=', 2);
    if (key?.trim() === name) return value?.trim();
  }
  return undefined;
};

/** The names under which browsers keep a session: only a secure connection may set the first. */
export const sessionCookieNames = ['__Host-session', 'session'] as const;
