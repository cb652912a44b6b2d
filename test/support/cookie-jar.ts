/** A browser without a screen that keeps all cookies it is given, and sends forms as this site's own. */

/** What a page or a form was answered; `cookie` is the first one that was set. */
export type Sent = {
  status: number;
  location: string | null;
  cookie: string;
  text: string;
  headers: Headers;
};

export type JarBrowser = {
  jar: Map<string, string>;
  get(path: string): Promise<Sent>;
  send(path: string, body?: Record<string, string>): Promise<Sent>;
};

/** A browser with an empty jar. `headers` go along with each request. */
export const openBrowser = (url: string, headers: Record<string, string> = {}): JarBrowser => {
  const jar = new Map<string, string>();
  const ask = async (path: string, body?: Record<string, string>): Promise<Sent> => {
    const answer = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body && { 'sec-fetch-site': 'same-origin', origin: url }),
        ...headers,
      },
      ...(body && { body: new URLSearchParams(body) }),
    });
    const cookies = answer.headers.getSetCookie();
    for (const one of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (/Max-Age=0/.test(one)) jar.delete(name);
      else jar.set(name, value);
    }
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      cookie: cookies[0] ?? '',
      text: await answer.text(),
      headers: answer.headers,
    };
  };
  return { jar, get: (path) => ask(path), send: ask };
};
