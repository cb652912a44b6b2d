/**
 * What a statement reads and writes, level by level: each `select`, `update` or `delete` in it, with
 * its tables, and the tables whose firm it names. Read by Postgres's own parser.
 */
import { parseSync } from 'libpg-query';

type Node = { [field: string]: unknown };

/** One `select`, `update`, `insert` or `delete`, without those inside it. */
export type Level = {
  kind: string;
  /** The stored tables, by the name that they have here. */
  tables: Map<string, string>;
  /**
   * Those of them whose `firm_id` equals a value that is given, or the one of rows of a query beside
   * them, which is a level of its own.
   */
  named: Set<string>;
  locks: boolean;
  recursive: boolean;
};

/** How the firm of a table may be named. */
type Naming = {
  /** By a value only: not by the firm of rows that were cut before. */
  onlyByValue?: boolean;
  /** Also as one of several firms that are given. */
  asOneOfSeveral?: boolean;
};

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
const kinds = ['SelectStmt', 'UpdateStmt', 'DeleteStmt', 'InsertStmt'];

/** All levels of a statement. `isStored` tells a stored table from a function's or a query's rows. */
export const levelsOf = (
  text: string,
  isStored: (table: string) => boolean,
  naming: Naming = {},
): Level[] => {
  const levels: Level[] = [];
  const walk = (value: unknown) => {
    for (const node of nodesIn(value)) {
      for (const [field, inner] of Object.entries(node)) {
        if (kinds.includes(field) && isNode(inner))
          levels.push(levelOf(field, inner, isStored, naming));
        // The arms of a union have no name of their own.
        if ((field === 'larg' || field === 'rarg') && isNode(inner) && 'op' in inner) {
          levels.push(levelOf('SelectStmt', inner, isStored, naming));
        }
        walk(inner);
      }
    }
  };
  walk(parseSync(text));
  return levels;
};

const levelOf = (
  kind: string,
  node: Node,
  isStored: (table: string) => boolean,
  naming: Naming,
): Level => {
  const tables = new Map<string, string>();
  const queries = new Set<string>();
  const conditions: Node[] = [];
  const take = (item: Node): void => {
    const [shape, inner] = Object.entries(item)[0] ?? [];
    if (!isNode(inner)) return;
    if (shape === 'JoinExpr') {
      for (const side of [inner.larg, inner.rarg]) if (isNode(side)) take(side);
      conditions.push(...conjuncts(inner.quals));
    }
    if (shape === 'RangeVar') takeTable(inner);
    if (shape === 'RangeSubselect' && isNode(inner.alias)) {
      const isCut = JSON.stringify(inner.subquery).includes('"limitCount"');
      if (!isCut || !naming.onlyByValue) queries.add(String(inner.alias.aliasname));
    }
  };
  const takeTable = (range: Node) => {
    const table = String(range.relname);
    const alias = isNode(range.alias) ? String(range.alias.aliasname) : table;
    if (isStored(table)) tables.set(alias, table);
    else queries.add(alias);
  };
  for (const item of nodesIn(node.fromClause ?? node.usingClause)) take(item);
  // What an insert stores is judged by the select that it stores from.
  if (kind !== 'InsertStmt' && isNode(node.relation)) takeTable(node.relation);
  conditions.push(...conjuncts(node.whereClause));
  return {
    kind,
    tables,
    named: firmsNamed(tables, queries, conditions, naming),
    locks: nodesIn(node.lockingClause).length > 0,
    recursive: isNode(node.withClause) && node.withClause.recursive === true,
  };
};

const conjuncts = (condition: unknown): Node[] => {
  if (!isNode(condition)) return [];
  const bool = condition.BoolExpr;
  if (isNode(bool) && bool.boolop === 'AND_EXPR') return nodesIn(bool.args).flatMap(conjuncts);
  return [condition];
};

const given = Symbol('given');
type Side = string | typeof given | undefined;

const firmsNamed = (
  tables: Map<string, string>,
  queries: Set<string>,
  conditions: Node[],
  naming: Naming,
): Set<string> => {
  const pairs = conditions
    .flatMap((one) => equalities(one, naming))
    .map((pair) => pair.map((side) => sideOf(side, tables, queries)));
  const named = new Set<string>();
  for (let before = -1; before < named.size; ) {
    before = named.size;
    for (const [one, other] of [...pairs, ...pairs.map((pair) => pair.toReversed())]) {
      const isKnown = other === given || (typeof other === 'string' && named.has(other));
      if (typeof one === 'string' && isKnown) named.add(one);
    }
  }
  return named;
};

/**
 * `a = b`, and each pair of `(a, c) = (b, d)`; of `(a, c) in (select …)` each side with a given value,
 * because the query in it is a level of its own.
 */
const equalities = (condition: Node, naming: Naming): [Node, Node][] => {
  const { SubLink: link } = condition;
  if (
    !naming.onlyByValue &&
    isNode(link) &&
    link.subLinkType === 'ANY_SUBLINK' &&
    isNode(link.testexpr)
  ) {
    return rowOf(link.testexpr).map((one) => [one, { ParamRef: {} }]);
  }
  const { A_Expr: expression } = condition;
  if (!isNode(expression)) return [];
  const isAny = naming.asOneOfSeveral && expression.kind === 'AEXPR_OP_ANY';
  if (expression.kind !== 'AEXPR_OP' && !isAny) return [];
  const operator = nodesIn(expression.name)[0]?.String;
  if (!isNode(operator) || operator.sval !== '=') return [];
  const { lexpr, rexpr } = expression;
  if (!isNode(lexpr) || !isNode(rexpr)) return [];
  const [left, right] = [rowOf(lexpr), rowOf(rexpr)];
  return left.flatMap((one, index) => {
    const other = right[index];
    return other ? [[one, other] as [Node, Node]] : [];
  });
};

const rowOf = (node: Node): Node[] => (isNode(node.RowExpr) ? nodesIn(node.RowExpr.args) : [node]);

/** The table whose firm this is, or whether it is a value from outside of the statement. */
const sideOf = (
  node: Node | undefined,
  tables: Map<string, string>,
  queries: Set<string>,
): Side => {
  if (!node) return undefined;
  if (isNode(node.TypeCast)) return sideOf(nodesIn(node.TypeCast.arg)[0], tables, queries);
  if ('ParamRef' in node || 'A_Const' in node) return given;
  if (!isNode(node.ColumnRef)) return undefined;
  const path = nodesIn(node.ColumnRef.fields).map(({ String: name }) =>
    isNode(name) ? String(name.sval) : '',
  );
  const table = path.length > 1 ? path[0] : firstOf(tables);
  if (path.at(-1) !== 'firm_id' || !table) return undefined;
  if (queries.has(table)) return given;
  return tables.has(table) ? table : undefined;
};

/** The one table that a column without a table's name can only belong to. */
const firstOf = (tables: Map<string, string>) =>
  tables.size === 1 ? [...tables.keys()][0] : undefined;
