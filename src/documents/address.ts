import type { Settings } from '../config.ts';

/** The server's address in the documents of the repository. Each reader sees their own server's. */
export const exampleAddress = 'https://matterhorn.harrow.example';

const plainHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** The address at which a reader reaches this server: PUBLIC_URL, or where they asked. */
export const addressFor = ({ publicUrl, tls }: Settings, request: Request): string => {
  const host = request.headers.get('host') ?? '';
  if (publicUrl) return publicUrl;
  return plainHost.test(host) ? `${tls ? 'https' : 'http'}://${host}` : exampleAddress;
};
