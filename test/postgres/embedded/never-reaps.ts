/**
 * Runs a command and lives on. What the command leaves behind becomes this program's child, and is
 * never reaped: once killed, it stays in the list of processes, as under a busy or a poor init.
 *
 *     bun test/postgres/embedded/never-reaps.ts COMMAND…
 */
import { dlopen } from 'bun:ffi';

// Number from <sys/prctl.h>.
const becomeSubreaper = 36;

const libc = dlopen('libc.so.6', {
  prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
});
if (libc.symbols.prctl(becomeSubreaper, 1, 0, 0, 0) !== 0) throw new Error('No subreaper.');
Bun.spawn(process.argv.slice(2), { stdout: 'inherit', stderr: 'inherit', stdin: 'ignore' });
setInterval(() => {}, 1_000);
