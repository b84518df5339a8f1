/**
 * How an entity is stored in a table: one column for each field. From one list of columns follow the row's type, what is
 * written, and what is read. What no column says (a field in two columns, a column without a field) its repository adds.
 */

import { GatewayError } from '../core/errors.ts';
import { STORE_ERRORS } from './errors.ts';

/** The values that both databases can hold. */
type Cell = string | number | null;

/** One field in one column. */
export interface Column<Name extends string, Stored extends Cell, Value> {
  readonly name: Name;
  readonly toCell: (value: Value) => Stored;
  fromCell(cell: Stored): Value;
}

/** A column for each field of an entity: `{ … } satisfies ColumnsOf<Share>`. */
export type ColumnsOf<Entity> = {
  readonly [Field in keyof Entity]-?: Column<string, Cell, Entity[Field]>;
};

/** `toCell` must be pure: rows are compared with what it returns (row-statements.ts). */
export function column<Name extends string, Stored extends Cell, Value>(
  name: Name,
  toCell: (value: Value) => Stored,
  fromCell: (cell: Stored) => Value,
): Column<Name, Stored, Value> {
  return { name, toCell, fromCell };
}

/** Text as it is. The database holds only what we wrote, so reading trusts it to be a `Value`. */
export function text<Name extends string, Value extends string>(name: Name): Column<Name, string, Value> {
  return { name, toCell: (value) => value, fromCell: (cell) => cell as Value };
}

/** A number as it is: a count, an instant, a coordinate. */
export function number<Name extends string>(name: Name): Column<Name, number, number> {
  return { name, toCell: (value) => value, fromCell: (cell) => cell };
}

/** 0 or 1. */
export function boolean<Name extends string>(name: Name): Column<Name, number, boolean> {
  return { name, toCell: (value) => (value ? 1 : 0), fromCell: (cell) => cell === 1 };
}

/** Any value that survives JSON. */
export function json<Name extends string, Value>(name: Name): Column<Name, string, Value> {
  return { name, toCell: (value) => JSON.stringify(value), fromCell: (cell) => JSON.parse(cell) as Value };
}

/** null where the field is null. */
export function nullable<Name extends string, Stored extends string | number, Value>({
  name,
  toCell,
  fromCell,
}: Column<Name, Stored, Value>): Column<Name, Stored | null, Value | null> {
  return {
    name,
    toCell: (value) => (value === null ? null : toCell(value)),
    fromCell: (cell) => (cell === null ? null : fromCell(cell)),
  };
}

type AnyColumns = Readonly<
  Record<string, { readonly name: string; toCell: (value: never) => Cell; fromCell(cell: never): unknown }>
>;
type EntityOf<C extends AnyColumns> = {
  readonly [Field in keyof C]: ReturnType<C[Field]['fromCell']>;
};
type RowOfColumns<C extends AnyColumns> = {
  [Field in keyof C as C[Field]['name']]: ReturnType<C[Field]['toCell']>;
};

/** Both directions between an entity and its row. Rows that are read can have more columns. */
export interface RowMapping<Table extends string, Entity, Row> {
  readonly table: Table;
  readonly columns: readonly (keyof Row & string)[];
  /** Always with the columns in the same order. */
  readonly toRow: (entity: Entity) => Row;
  /** Fails STORE_FIELD_DAMAGED, which names the table and the column. */
  readonly fromRow: (row: Row) => Entity;
}

/** The type of a mapping's rows, for the query builder. */
export type RowOf<Mapping extends { readonly toRow: (entity: never) => unknown }> = ReturnType<
  Mapping['toRow']
>;

export function rowMapping<Table extends string, C extends AnyColumns>(
  table: Table,
  columns: C,
): RowMapping<Table, EntityOf<C>, RowOfColumns<C>> {
  type Row = RowOfColumns<C>;
  const fields = Object.entries(columns).map(([field, each]) => ({ field, ...each }));
  return {
    table,
    columns: fields.map(({ name }) => name as keyof Row & string),
    toRow: (entity) => {
      const row: Record<string, Cell> = {};
      for (const { field, name, toCell } of fields) row[name] = toCell(entity[field] as never);
      return row as Row;
    },
    fromRow: (row) => {
      const cells = row as Record<string, Cell>;
      const entity: Record<string, unknown> = {};
      let column = '';
      try {
        for (const { field, name, fromCell } of fields) {
          column = name;
          entity[field] = fromCell(cells[name] as never);
        }
      } catch {
        // The cause would quote the row.
        throw new GatewayError(STORE_ERRORS.STORE_FIELD_DAMAGED, { table, column });
      }
      return entity as EntityOf<C>;
    },
  };
}
