/** The thread of the mail server that `mail.ts` sends to: it accepts everything, and says how much came. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

declare const self: Worker;

if (!Bun.isMainThread) {
  let count = 0;
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      stream.on('data', () => {});
      stream.on('end', () => {
        count += 1;
        done();
      });
    },
  });
  server.on('error', () => {});
  self.onmessage = () => self.postMessage(count);
  server.listen(0, '127.0.0.1', () =>
    self.postMessage((server.server.address() as AddressInfo).port),
  );
}
