/** What a run of `bun test` says of each file, read from its report in JUnit's format. */

/** How the tests of one file went; `failed` are the names of those that did not pass. */
export type Outcome = { passed: number; skipped: number; failed: string[] };

/** The outcome of each file by its path. A file that could not be loaded is not among them. */
export const readOutcomes = async (reportPath: string): Promise<Map<string, Outcome>> => {
  const report = Bun.file(reportPath);
  const outcomes = new Map<string, Outcome>();
  if (!(await report.exists())) return outcomes;
  for (const [, given = '', inside = ''] of (await report.text()).matchAll(testCase)) {
    const { name = '', file = '' } = attributesOf(given);
    const outcome = outcomes.get(file) ?? { passed: 0, skipped: 0, failed: [] };
    outcomes.set(file, outcome);
    if (inside.includes('<failure')) outcome.failed.push(name);
    else if (inside.includes('<skipped')) outcome.skipped += 1;
    else outcome.passed += 1;
  }
  return outcomes;
};

// Bun writes `<` and `>` within names and messages as entities.
const testCase = /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replace(/&(quot|lt|gt|apos|amp);/g, (_, entity: string) => entities[entity] ?? ''),
    ]),
  );

const entities: Record<string, string> = { quot: '"', lt: '<', gt: '>', apos: "'", amp: '&' };
