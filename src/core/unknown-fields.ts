/**
 * Fields that a value has and its schema does not. They have no effect, so the response names them: a misspelled `passwrod` would make an
 * open link. Values are never named, because they may be secrets.
 */

import { closestName } from './closest-name.ts';
import { memberNames } from './json-in-slices.ts';
import { shownName } from './shown-name.ts';

/** More are not named. */
const MAX_NAMED = 5;
/** Members of one object that are checked. No schema has as many fields, so an object with more has unknown ones. */
const MAX_LOOKED_AT = 1_000;
/** Longer names are not compared with known ones. */
const MAX_COMPARED_LENGTH = 64;
/** The last steps of a path that are shown. */
const MAX_SHOWN_STEPS = 6;

/** The part of a JSON Schema that lists the fields. */
export interface FieldSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema | boolean;
}

/** A field's name, or a place in a list. */
export type Step = string | number;

/** Gathers what several values have, such as the rows of a report; what entries of one list share is named once. */
export class UnknownFields {
  readonly #found = new Map<string, string>();
  #hasMore = false;

  /** Follows the schema and not the value: values below an unknown field cost nothing. */
  look(schema: FieldSchema, value: unknown, path: readonly Step[] = []): void {
    if (this.#hasMore || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) this.#lookIntoList(schema.items, value, path);
    else if (schema.properties !== undefined) {
      this.#lookIntoObject(schema.properties, value as Fields, path);
    } else this.#lookIntoMap(schema.additionalProperties, value as Fields, path);
  }

  /** One sentence about all of them; null without any. */
  get sentence(): string | null {
    if (this.#found.size === 0) return this.#hasMore ? 'Unknown fields are ignored.' : null;
    const more = this.#hasMore ? ', and others' : '';
    return `Unknown fields are ignored: ${[...this.#found.values()].join(', ')}${more}.`;
  }

  #lookIntoList(items: FieldSchema | undefined, list: readonly unknown[], path: readonly Step[]): void {
    if (items === undefined || !saysFields(items)) return;
    for (const [index, item] of list.entries()) this.look(items, item, [...path, index]);
  }

  #lookIntoMap(values: FieldSchema | boolean | undefined, map: Fields, path: readonly Step[]): void {
    if (typeof values !== 'object' || !saysFields(values)) return;
    for (const [name, value] of Object.entries(map)) this.look(values, value, [...path, name]);
  }

  #lookIntoObject(known: Readonly<Record<string, FieldSchema>>, fields: Fields, path: readonly Step[]): void {
    for (const [place, name] of memberNames(fields).entries()) {
      // A hundred thousand unknown names cost no more than a few.
      if (this.#hasMore) return;
      if (place === MAX_LOOKED_AT) {
        this.#hasMore = true;
        return;
      }
      const value = fields[name];
      const schema = Object.hasOwn(known, name) ? known[name] : undefined;
      if (schema === undefined && value !== null) this.#add(name, known, path);
      else if (schema !== undefined && typeof value === 'object') this.look(schema, value, [...path, name]);
    }
  }

  #add(name: string, known: Readonly<Record<string, FieldSchema>>, path: readonly Step[]): void {
    const steps = path.map((step) => (typeof step === 'number' ? 0 : step));
    const place = JSON.stringify([...steps, name.slice(0, MAX_COMPARED_LENGTH)]);
    if (this.#found.has(place)) return;
    if (this.#found.size === MAX_NAMED) {
      this.#hasMore = true;
      return;
    }
    const closest = name.length > MAX_COMPARED_LENGTH ? null : closestName(name, Object.keys(known));
    const hint = closest === null ? '' : ` (did you mean ${closest}?)`;
    this.#found.set(place, `${shownPath([...path, name])}${hint}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** `schedule.intervalList[2].minuteOfWeekStart`, without characters that could harm a terminal or a page. */
export function shownPath(path: readonly Step[]): string {
  const shown = path.slice(-MAX_SHOWN_STEPS);
  let text = shown.length < path.length ? '…' : '';
  for (const step of shown) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? shownName(step) : `.${shownName(step)}`;
  }
  return text;
}

function saysFields({ properties, items, additionalProperties }: FieldSchema): boolean {
  if (properties !== undefined) return true;
  if (items !== undefined) return saysFields(items);
  return typeof additionalProperties === 'object' && saysFields(additionalProperties);
}
