import { Column, getTableColumns, is, Param, Placeholder, type Query, SQL, sql } from 'drizzle-orm';
import { makePgArray, PgDialect, type PgTable } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import { namingFirmAgain } from './citus/cut-rows.ts';
import { type Form, inForm, type Purpose } from './citus/forms.ts';
import type { Planned, RawRow } from './connection.ts';

/**
 * Drizzle without a connection, for building statements. Each is built once, at first use, and runs
 * prepared on any connection: building costs Drizzle about as long as Postgres needs to answer.
 */
export const query = drizzle.mock({ casing: 'snake_case' });

const dialect = new PgDialect({ casing: 'snake_case' });

/** A statement: the values it takes, named and typed, if it takes any; and the rows it gives. */
export type Statement<Row, Values extends unknown[] = []> = {
  text: string;
  /** The values in the order and form that Postgres expects. */
  fill: (...values: Values) => unknown[];
  shape: 'arrays' | 'objects';
  read(row: RawRow): Row;
  /** Whether it changes anything. */
  writes: boolean;
  /** Whether it adds rows. */
  inserts: boolean;
  planned: Planned;
  /** Whether it is short with these values (`shortStatement`). */
  isShort: (...values: Values) => boolean;
  /** The same statement as a database needs it that is spread over several nodes. */
  inForm(form: Form): Statement<Row, Values>;
  /** What it seeks in all firms, if it does (`spread/forms.ts`). */
  seeks: Purpose | undefined;
};

// In brackets: about several names together, not about each one.
type ValuesByName<Values extends string | object> = [Values] extends [string]
  ? Record<Values, string>
  : Values;

/** The same as `Given`, of a type that is not known yet. */
export type Placeholders<Values> = {
  readonly [Name in keyof Values]: Placeholder<Name & string, Values[Name]>;
};

/**
 * The values of a statement, as its author receives them: `Given<'firmId' | 'id'>` are texts,
 * `Given<{ firmId: string; ids: string[] }>` gives each type. A value that does not belong to a
 * column is a text, a number, a boolean, a moment, a list of texts or numbers, or null.
 */
export type Given<Values extends string | object> = Placeholders<ValuesByName<Values>>;

type RowOf<Built> = Built extends { readonly _: { readonly result: readonly (infer Row)[] } }
  ? Row
  : Built extends SQL<infer Row>
    ? Row
    : never;

/** What Drizzle's builder makes of a statement. */
export type Preparable = { prepare(name: string): unknown; getSQL(): SQL };

/**
 * A statement written once: `statement(({ firmId }: Given<'firmId'>) => query.select()…)` returns
 * rows as Drizzle types them, ``statement(() => sql<Row>`…`)`` returns columns by name as the
 * driver reads them. To run it, give exactly the values it names, with their types.
 */
export function statement<Built extends Preparable | SQL>(
  build: () => Built,
  planned?: Planned,
): () => Statement<RowOf<Built>>;
export function statement<Built extends Preparable | SQL, Values>(
  build: (given: Placeholders<Values>) => Built,
  planned?: Planned,
): () => Statement<RowOf<Built>, [values: Values]>;
export function statement(
  build: (given: Row) => Preparable | SQL,
  planned: Planned = 'once',
): () => Statement<unknown> {
  let usual: Statement<unknown> | undefined;
  const others = new Map<Form, Statement<unknown>>();
  const make = (form: Form): Statement<unknown> => {
    const { built, seeks } = inForm(form, () => compile(build(placeholders), form));
    return { ...built, planned, seeks, isShort: () => false, inForm: other };
  };
  const other = (form: Form): Statement<unknown> => {
    const found = others.get(form) ?? make(form);
    others.set(form, found);
    return found;
  };
  const made = () => (usual ??= make('usual'));
  listener?.(made);
  return made;
}

let listener: ((made: () => Statement<unknown>) => void) | undefined;

/** Calls `listen` with each statement that is declared from now on. A test reads them all. */
export const listenToStatements = (listen: (made: () => Statement<unknown>) => void): void => {
  listener = listen;
};

/**
 * A statement that only reads, and whose cost is known: an index leads it to a few small rows,
 * however much the firm has stored. Outside of transactions, these share a connection
 * (`pool.ts`), and one that takes long keeps others waiting. If that depends on the values, `when`
 * says with which ones it is short.
 */
export function shortStatement<Built extends Preparable | SQL>(
  build: () => Built,
): () => Statement<RowOf<Built>>;
export function shortStatement<Built extends Preparable | SQL, Values>(
  build: (given: Placeholders<Values>) => Built,
  when?: (values: Values) => boolean,
): () => Statement<RowOf<Built>, [values: Values]>;
export function shortStatement(
  build: (given: Row) => Preparable | SQL,
  when: (values: never) => boolean = () => true,
): () => Statement<unknown> {
  const made = statement(build as () => SQL);
  let short: Statement<unknown> | undefined;
  return () => (short ??= { ...made(), isShort: when as () => boolean });
}

type Row = Record<string, Placeholder>;

/** Has a placeholder for every name that is asked for. */
const placeholders = new Proxy<Row>({}, { get: (_, name) => sql.placeholder(String(name)) });

type Compiled<Row> = Omit<Statement<Row>, 'planned' | 'isShort' | 'inForm' | 'seeks'>;

const compile = <Row>(built: Preparable | SQL, form: Form): Compiled<Row> => {
  if (built instanceof SQL) {
    const query = dialect.sqlToQuery(built);
    const { text, params } = eachOnce(query.sql, query.params);
    return {
      text: inItsForm(text, params, form),
      fill: filling(params),
      shape: 'objects',
      read: (row) => row as Row,
      ...changesOf(text),
    };
  }
  // What Drizzle prepared: text, parameters and selected columns. It types only the first two.
  const prepared = built.prepare('') as { getQuery(): Query; fields?: Selected[] };
  const { sql: text, params } = prepared.getQuery();
  const { fields } = prepared;
  return {
    text: inItsForm(text, params, form),
    fill: filling(params),
    shape: fields ? 'arrays' : 'objects',
    read: fields ? readingOf(fields) : (row) => row as Row,
    ...changesOf(text),
  };
};

/**
 * A value that a statement names in several places is one parameter of it, if it is cast alike: Postgres reads
 * each parameter of each call, and a search names its lists of runs and words dozens of times.
 */
const eachOnce = (text: string, all: unknown[]): { text: string; params: unknown[] } => {
  const params: unknown[] = [];
  const places = new Map<string, number>();
  const numbered = text.replaceAll(/\$([0-9]+)(::\w+(?:\[\])?)?/g, (_, at: string, cast = '') => {
    const parameter = all[Number(at) - 1];
    const name = parameter instanceof Placeholder ? `${parameter.name}${cast}` : `$${at}`;
    const place = places.get(name) ?? params.push(parameter);
    places.set(name, place);
    return `$${place}${cast}`;
  });
  return { text: numbered, params };
};

const inItsForm = (text: string, params: unknown[], form: Form) => {
  const firm = params.findIndex((one) => nameOf(one) === 'firmId');
  return form === 'usual' || firm < 0 ? text : namingFirmAgain(text, `$${firm + 1}`);
};

const nameOf = (parameter: unknown) => {
  const given = parameter instanceof Param ? parameter.value : parameter;
  return given instanceof Placeholder ? given.name : undefined;
};

type Decoder = { mapFromDriverValue(value: unknown): unknown };
type Selected = {
  path: string[];
  field: (Column & Decoder) | { decoder: Decoder } | { sql: { decoder: Decoder } };
};

/**
 * How a row is read, decided once for each column. Drizzle decides it again for every value of
 * every row, which took a tenth of a list's time.
 */
const readingOf = <Row>(selected: Selected[]) => {
  const columns = selected.map(({ path: [name, ...deeper], field }) => {
    if (name === undefined || deeper.length > 0) {
      throw new Error('A statement selects into one row without rows inside.');
    }
    const decoder = is(field, Column)
      ? field
      : 'decoder' in field
        ? field.decoder
        : field.sql.decoder;
    // Most columns take the driver's value as it is.
    const isAsGiven = decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue;
    return { name, decoder: isAsGiven ? undefined : decoder };
  });
  return (row: RawRow) => {
    const read: Record<string, unknown> = {};
    let index = 0;
    for (const { name, decoder } of columns) {
      const value = (row as unknown[])[index++];
      read[name] = value === null || !decoder ? value : decoder.mapFromDriverValue(value);
    }
    return read as Row;
  };
};

/**
 * Fills in the placeholders as Drizzle does, but leaves null as it is: a column's encoder would
 * turn it into JSON's `null`, or fail.
 */
const filling =
  (parameters: unknown[]) =>
  (values: Record<string, unknown> = {}) =>
    parameters.map((parameter) => {
      if (parameter instanceof Placeholder)
        return plain(givenFor(values, parameter.name), parameter.name);
      if (!(parameter instanceof Param) || !(parameter.value instanceof Placeholder))
        return parameter;
      const value = givenFor(values, parameter.value.name);
      return value === null ? null : parameter.encoder.mapToDriverValue(value);
    });

/** A value that does not belong to a column passes no encoder of Drizzle's. */
const plain = (value: unknown, name: string) => {
  if (Array.isArray(value)) return makePgArray(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) {
    throw new Error(`The statement's ${name} was given an object; Postgres takes it as JSON text.`);
  }
  return value;
};

const givenFor = (values: Record<string, unknown>, name: string) => {
  const value = values[name];
  if (value === undefined) throw new Error(`The statement's ${name} was given no value.`);
  return value;
};

const changesOf = (text: string) => ({
  writes: /^\s*(insert|update|delete|with)\b/i.test(text),
  inserts: /\binsert\s+into\b/i.test(text),
});

type Written = () => Statement<unknown, [values: Record<string, unknown>]>;

const insertions = new Map<PgTable, Map<string, Written>>();

/** The statement that stores one row with these columns, named as in the table's `table.ts`. */
export const insertOf = (table: PgTable, columns: string[]) =>
  remembered(insertions, table, columns, (given) =>
    query.insert(table).values(pick(given, columns)),
  );

const updates = new Map<PgTable, Map<string, Written>>();

/** The statement that changes these columns of the record `:id` of the firm `:firmId`. */
export const updateOf = (table: PgTable, columns: string[]) =>
  remembered(updates, table, columns, (given) => {
    const { firmId, id } = getTableColumns(table);
    return query
      .update(table)
      .set(pick(given, columns))
      .where(sql`${firmId} = ${given.firmId} and ${id} = ${given.id}`);
  });

const pick = (given: Row, columns: string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, given[column] as Placeholder]));

const remembered = (
  memory: Map<PgTable, Map<string, Written>>,
  table: PgTable,
  columns: string[],
  build: (given: Row) => Preparable,
) => {
  let ofTable = memory.get(table);
  if (!ofTable) memory.set(table, (ofTable = new Map()));
  const key = columns.join();
  let found = ofTable.get(key);
  if (!found) ofTable.set(key, (found = statement(build)));
  return found;
};
