/** Follows what `bun test` writes: how far it is, and all of what a file said where it failed. */

const sayEveryMilliseconds = 30_000;
const isNotPassed = (line: string) => !line.startsWith('(pass)');
const isHead = (line: string) => /^\S+\.test\.tsx?:$/.test(line);
const isSummary = (line: string) => /^\d+ tests? (failed|skipped):$|^ +\d+ pass$/.test(line);
const mentioned = /test\/[^\s:]+?\.test\.tsx?/g;

/** Begins to count; with `isVerbose` it shows everything. */
export const followProgress = (isVerbose: boolean) => {
  const seen = { passed: 0, failed: 0 };
  const startedAt = performance.now();
  let saidAt = startedAt;
  let headBefore = '';
  /** Files that had an error outside of their tests. */
  const suspects = new Set<string>();

  const sayHowFar = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const line = `${seconds} s: ${seen.passed} passed, ${seen.failed} failed`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
    else if (performance.now() - saidAt > sayEveryMilliseconds) {
      saidAt = performance.now();
      console.error(line);
    }
  };

  /** What one file of tests said: shown where something of it failed, without the lines that passed. */
  const endFile = (lines: string[]) => {
    const head = lines.find(isHead);
    if (!head) return;
    const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
    seen.passed += count('(pass)');
    seen.failed += count('(fail)');
    const isWorthReading = lines.some((line) => /^\(fail\)|^error:|^# Unhandled|^✗/.test(line));
    const shown = isVerbose ? lines : isWorthReading ? lines.filter(isNotPassed) : [];
    if (shown.length > 0) console.error(`\n${shown.join('\n')}`);
    const unhandled = lines.findIndex((line) => line.startsWith('# Unhandled'));
    if (unhandled >= 0) {
      const named = lines.slice(unhandled).join('\n').match(mentioned);
      // What a file writes last may arrive when the next one has begun.
      for (const file of named ?? `${headBefore}${head}`.match(mentioned) ?? []) suspects.add(file);
    }
    headBefore = head;
    sayHowFar();
  };

  /** Reads what a run says, file by file; gives the rest, which is its summary. */
  const follow = async (output: ReadableStream<Uint8Array>): Promise<string> => {
    const lines: string[] = [];
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of output) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        if (isHead(line) || isSummary(line)) endFile(lines.splice(0));
        lines.push(line);
      }
    }
    if (!lines.some((line) => isSummary(line))) endFile(lines.slice());
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    return [...lines, rest].join('\n');
  };

  return { follow, suspects };
};
