import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * The forms of a statement: for one Postgres; for a database that is spread over several nodes; and for
 * one of these nodes, of a statement that looks through all firms.
 */
export type Form = 'usual' | 'spread' | 'node';

/** The name of the value that `ofAnyFirm` takes: the ids of the firms on the asked node. */
export const nodeFirms = 'firmsOfNode';

let form: Form = 'usual';
let looksThroughFirms = false;

/** Builds a statement in a form, and tells whether it looks through all firms. */
export const inForm = <Built>(asked: Form, build: () => Built) => {
  [form, looksThroughFirms] = [asked, false];
  try {
    const built = build();
    return { built, isAcrossFirms: looksThroughFirms };
  } finally {
    form = 'usual';
  }
};

/** A part of a statement that has another form in a spread database. */
export const formed = (usual: SQL, spread: SQL): SQL =>
  later(() => (form === 'usual' ? usual : spread));

/**
 * Marks a statement that looks through all firms, behind its other conditions. In a spread database it
 * can then be asked node by node. It must only read.
 */
export const ofAnyFirm = (firmId: Column | SQL): SQL =>
  later(() => {
    looksThroughFirms = true;
    return form === 'node'
      ? sql` and ${firmId} = any(${sql.placeholder(nodeFirms)}::uuid[])`
      : sql``;
  });

/** Decided when the statement is built, because parts of statements are made before. */
const later = (decide: () => SQL): SQL => {
  const part = { getSQL: decide, shouldOmitSQLParens: () => true };
  return sql`${part}`;
};
