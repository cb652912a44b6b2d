import { describeError, flushLog, log } from '../base/log.ts';

/**
 * Keeps the process alive through failures of a single connection. After any other unhandled
 * failure, ends it in order: committed work is safe, and a service manager starts the process
 * again.
 */
export const guardProcess = (stop: () => Promise<void>) => {
  process.on('unhandledRejection', (error) => logUnlooked(error));
  process.on('uncaughtException', (error) => {
    logUnlooked(error);
    if (/node_modules\/postgres|postgres\/src/.test(String(error?.stack))) return;
    setTimeout(() => process.exit(1), 1_000).unref();
    stop().finally(() => process.exit(1));
  });
};

const logUnlooked = (error: unknown) => {
  log('error', 'failure where nobody looked', describeError(error));
  flushLog();
};
