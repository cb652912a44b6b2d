import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * The forms of a statement: for one Postgres; for a database that is spread over several nodes; and for
 * one of these nodes, of a statement that looks through all firms.
 */
export type Form = 'usual' | 'spread' | 'node';

/** The name of the value that `acrossFirms` takes: the ids of the firms on the asked node. */
export const nodeFirms = 'firmsOfNode';

let form: Form = 'usual';
let purpose: Purpose | undefined;

/**
 * What a statement seeks in all firms: `work` that the server finds to do, which may be what some nodes
 * have; an `answer`, which must not be empty because a node is away; or the firm of a `secret`. A secret
 * never belongs to another firm later.
 */
export type Purpose = 'work' | 'answer' | 'secret';

/** Builds a statement in a form, and tells what it seeks in all firms, if it does. */
export const inForm = <Built>(asked: Form, build: () => Built) => {
  [form, purpose] = [asked, undefined];
  try {
    const built = build();
    return { built, seeks: purpose as Purpose | undefined };
  } finally {
    form = 'usual';
  }
};

/** A part of a statement that has another form in a spread database. */
export const forCluster = (usual: SQL, spread: SQL): SQL =>
  later(() => (form === 'usual' ? usual : spread));

/**
 * Marks a statement that looks through all firms, behind its other conditions. In a spread database it
 * can then be asked node by node. It must only read.
 */
export const acrossFirms = (firmId: Column | SQL, seeks: Purpose = 'work'): SQL =>
  later(() => {
    purpose = seeks;
    return form === 'node'
      ? sql` and ${firmId} = any(${sql.placeholder(nodeFirms)}::uuid[])`
      : sql``;
  });

/** Decided when the statement is built, because parts of statements are made before. */
const later = (decide: () => SQL): SQL => {
  const part = { getSQL: decide, shouldOmitSQLParens: () => true };
  return sql`${part}`;
};
