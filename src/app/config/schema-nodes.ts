/** The vocabulary of the configuration's description (schema.ts), and the type of the described configuration. */

import type { ValueType } from './value-types.ts';

/** One value. `T` includes null when the key has no default. */
export interface Setting<T, Unit extends string = string> {
  readonly node: 'setting';
  readonly type: ValueType<unknown, Unit>;
  readonly description: string;
  /** As it would be written; null: none. */
  readonly defaultText: string | null;
  /** Effect of leaving out the key, if it has no default. */
  readonly absent: string | null;
  readonly isRequired: boolean;
  /** A value for the sample file, where the default would not show anything. */
  readonly example: string | null;
  /** Carries the type of the value; never set. */
  readonly valueType?: T;
}

export interface Group<Children extends GroupChildren = GroupChildren> {
  readonly node: 'group';
  readonly description: string;
  readonly children: Children;
}

/** A list of records; only in the file, not in the environment. */
export interface RecordList<Children extends GroupChildren = GroupChildren> {
  readonly node: 'list';
  readonly description: string;
  readonly item: Group<Children>;
}

export type SchemaNode = Setting<unknown> | Group | RecordList;
export interface GroupChildren {
  readonly [key: string]: SchemaNode;
}

/** The name of the field that holds a key's value: the key plus its unit, unless the key already ends with it. */
type FieldName<Key extends string, Node> =
  Node extends Setting<unknown, infer Unit> ? (Key extends `${string}${Unit}` ? Key : `${Key}${Unit}`) : Key;

/** The configuration that a description describes. */
export type Described<Node> =
  Node extends Setting<infer T>
    ? T
    : Node extends RecordList<infer Children>
      ? readonly Described<Group<Children>>[]
      : Node extends Group<infer Children>
        ? {
            readonly [Key in keyof Children & string as FieldName<Key, Children[Key]>]: Described<
              Children[Key]
            >;
          }
        : never;

/** The field name at run time: see FieldName. */
export function fieldName(key: string, node: SchemaNode): string {
  return node.node !== 'setting' || key.endsWith(node.type.unit) ? key : `${key}${node.type.unit}`;
}

/** A value with a default. */
export function setting<T, Unit extends string>(
  type: ValueType<T, Unit>,
  defaultText: string,
  description: string,
): Setting<T, Unit> {
  return { node: 'setting', type, description, defaultText, absent: null, isRequired: false, example: null };
}

/** An optional value; `absent` says what leaving it out means. */
export function optional<T, Unit extends string>(
  type: ValueType<T, Unit>,
  absent: string,
  description: string,
  example: string,
): Setting<T | null, Unit> {
  return { node: 'setting', type, description, defaultText: null, absent, isRequired: false, example };
}

/** A value that every record in a list must have. */
export function required<T, Unit extends string>(
  type: ValueType<T, Unit>,
  description: string,
  example: string,
): Setting<T, Unit> {
  return { node: 'setting', type, description, defaultText: null, absent: null, isRequired: true, example };
}

export function group<Children extends GroupChildren>(
  description: string,
  children: Children,
): Group<Children> {
  return { node: 'group', description, children };
}

export function recordList<Children extends GroupChildren>(
  description: string,
  children: Children,
): RecordList<Children> {
  return { node: 'list', description, item: group('', children) };
}
