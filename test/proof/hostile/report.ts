/** What each attack found: figures to read, and promises that were kept or broken. */

export type Promised = { attack: string; promise: string; measured: string; kept: boolean };

export const openReport = () => {
  const rows: Promised[] = [];
  const details: string[] = [];
  const promise = (attack: string, what: string, measured: string | number, kept: boolean) => {
    rows.push({ attack, promise: what, measured: String(measured), kept });
    console.log(`${kept ? 'kept  ' : 'BROKEN'}  ${attack}: ${what}: ${measured}`);
  };
  const state = (attack: string, what: string, measured: string | number) => {
    rows.push({ attack, promise: what, measured: String(measured), kept: true });
    console.log(`        ${attack}: ${what}: ${measured}`);
  };
  return {
    /** Notes a promise, what was measured of it, and whether it was kept. */
    promise,
    /** Notes a figure that nothing is promised of. */
    state,
    /** A promise that a machine busy with other things may break: in the small size it is stated. */
    promiseTime(
      isSmall: boolean,
      attack: string,
      what: string,
      measured: string | number,
      kept: boolean,
    ) {
      if (isSmall) state(attack, what, measured);
      else promise(attack, what, measured, kept);
    },
    /** What is needed to find the cause of a broken promise. */
    detail: (lines: string[]) => void details.push(...lines),
    /** Prints everything in one table; gives whether every promise was kept. */
    print() {
      for (const line of details) console.log(line);
      console.table(rows.map(({ kept, ...row }) => ({ ...row, '': kept ? '' : 'BROKEN' })));
      return rows.every(({ kept }) => kept);
    },
  };
};

export type Report = ReturnType<typeof openReport>;

export const milliseconds = (one: number) => `${one.toFixed(one < 10 ? 1 : 0)} ms`;
