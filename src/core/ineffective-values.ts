/**
 * Values that are accepted and have no effect on the gateway. A caller who sends one relies on it, so the response names its field. The
 * field's schema declares it under `NO_EFFECT`. Facets and keys of maps are named too; values never, because they may be secrets.
 */

import { parseDeviceFacetUuid } from './ruuid.ts';
import { shownName } from './shown-name.ts';
import type { FieldSchema, Step } from './unknown-fields.ts';

/** The keyword of a schema. */
export const NO_EFFECT = 'x-sluice-no-effect';

/** Why, and when, a value changes nothing. Reasons complete "policyUuid is stored but has no effect: ". */
export type NoEffect =
  /** Stored and answered. `except`: keys of the map, or facets of the device, that do have their effect. */
  | { readonly kept: string; readonly except?: readonly string[] }
  /** Not stored either. */
  | { readonly ignored: string; readonly except?: readonly string[] }
  /** Counts only together with another field of the object, or only with a value of that field. */
  | { readonly needs: string; readonly being?: string }
  /** Does not count if this other field of the object is present. */
  | { readonly yieldsTo: string };

/** Names of one sentence. */
const MAX_NAMED = 5;

interface Declared extends FieldSchema {
  readonly [NO_EFFECT]?: NoEffect;
}

/** The part of a schema that leads to declarations. */
interface Plan {
  readonly noEffect: NoEffect | null;
  readonly fields: readonly FieldPlan[];
  readonly items: Plan | null;
  readonly values: Plan | null;
}

interface FieldPlan {
  readonly name: string;
  /** The other field of the object with which alone it counts, docs/spec/conventions.md#changes-by-flags; null: none. */
  readonly flag: string | null;
  readonly plan: Plan;
}

type Fields = Readonly<Record<string, unknown>>;

const PLANS = new WeakMap<object, { readonly plan: Plan | null }>();

/** Gathers what several values have, such as the rows of a report; what entries of one list share is named once. */
export class IneffectiveValues {
  /** Names by the end of their sentence. */
  readonly #found = new Map<string, { readonly end: SentenceEnd; readonly names: Map<string, string> }>();

  /** `value` is valid. Follows only the declarations of the schema. */
  look(schema: FieldSchema, value: unknown, path: readonly Step[] = []): void {
    const plan = planOf(schema);
    if (plan !== null) this.#visit(plan, value, path, {});
  }

  /** One for each reason. */
  get sentences(): string[] {
    return [...this.#found.values()].map(({ end, names }) => {
      const shown = [...names.values()].slice(0, MAX_NAMED);
      if (names.size > MAX_NAMED) shown.push('others');
      const last = shown.pop()!;
      const subject = shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
      return `${subject} ${shown.length === 0 ? end.ofOne : end.ofMany}.`;
    });
  }

  #visit(plan: Plan, value: unknown, path: readonly Step[], beside: Fields): void {
    if (plan.noEffect !== null && asks(value)) this.#judge(plan.noEffect, value, path, beside);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      const { items } = plan;
      if (items === null) return;
      for (const [index, item] of value.entries()) this.#visit(items, item, [...path, index], {});
      return;
    }
    const fields = value as Fields;
    for (const { name, flag, plan: ofField } of plan.fields) {
      if (!Object.hasOwn(fields, name) || (flag !== null && fields[flag] !== true)) continue;
      this.#visit(ofField, fields[name], [...path, name], fields);
    }
    if (plan.values === null) return;
    for (const [key, entry] of Object.entries(fields)) {
      this.#visit(plan.values, entry, [...path, shownName(key)], {});
    }
  }

  #judge(noEffect: NoEffect, value: unknown, path: readonly Step[], beside: Fields): void {
    if ('needs' in noEffect) {
      const { needs, being } = noEffect;
      const isMet = being === undefined ? asks(beside[needs]) : beside[needs] === being;
      if (!isMet) this.#add(endOf(noEffect), path);
    } else if ('yieldsTo' in noEffect) {
      if (asks(beside[noEffect.yieldsTo])) this.#add(endOf(noEffect), path);
    } else if (noEffect.except !== undefined) {
      const { except } = noEffect;
      if (typeof value === 'string') {
        const facet = parseDeviceFacetUuid(value)?.facet ?? '';
        if (facet !== '' && !except.includes(facet)) this.#add(endOf(noEffect), path, `facet ${facet} of `);
        return;
      }
      for (const key of Object.keys(value as Fields)) {
        if (!except.includes(key)) this.#add(endOf(noEffect), [...path, shownName(key)]);
      }
    } else this.#add(endOf(noEffect), path);
  }

  #add(end: SentenceEnd, path: readonly Step[], prefix = ''): void {
    const known = this.#found.get(end.ofOne);
    const { names } = known ?? { names: new Map<string, string>() };
    if (known === undefined) this.#found.set(end.ofOne, { end, names });
    // One name more than the limit shows that there are others.
    if (names.size > MAX_NAMED) return;
    const place = JSON.stringify([prefix, ...path.map((step) => (typeof step === 'number' ? 0 : step))]);
    if (!names.has(place)) names.set(place, `${prefix}${textOf(path)}`);
  }
}

/** Names are the schema's, whole; keys of maps, which a caller chose, are fit to be shown already. */
function textOf(path: readonly Step[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
}

interface SentenceEnd {
  readonly ofOne: string;
  readonly ofMany: string;
}

function endOf(noEffect: NoEffect): SentenceEnd {
  if ('kept' in noEffect) {
    const { kept } = noEffect;
    return {
      ofOne: `is stored but has no effect: ${kept}`,
      ofMany: `are stored but have no effect: ${kept}`,
    };
  }
  if ('needs' in noEffect) {
    const { needs, being } = noEffect;
    const needed = being === undefined ? needs : `${needs} ${being}`;
    return { ofOne: `has no effect without ${needed}`, ofMany: `have no effect without ${needed}` };
  }
  const why =
    'ignored' in noEffect ? `ignored: ${noEffect.ignored}` : `ignored because ${noEffect.yieldsTo} is given`;
  return { ofOne: `is ${why}`, ofMany: `are ${why}` };
}

/** A flag that is false and an empty value request nothing. */
function asks(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** null: the schema declares nothing. */
function planOf(schema: FieldSchema): Plan | null {
  const known = PLANS.get(schema);
  if (known !== undefined) return known.plan;
  const plan = newPlan(schema);
  PLANS.set(schema, { plan });
  return plan;
}

function newPlan({
  properties = {},
  items,
  additionalProperties,
  [NO_EFFECT]: noEffect,
}: Declared): Plan | null {
  const fields = Object.entries(properties).flatMap(([name, field]): FieldPlan[] => {
    const plan = planOf(field);
    if (plan === null) return [];
    const flag = `${name}Updated`;
    return [{ name, flag: Object.hasOwn(properties, flag) ? flag : null, plan }];
  });
  const plan = {
    noEffect: noEffect ?? null,
    fields,
    items: items === undefined ? null : planOf(items),
    values: typeof additionalProperties === 'object' ? planOf(additionalProperties) : null,
  };
  const isEmpty =
    plan.noEffect === null && fields.length === 0 && plan.items === null && plan.values === null;
  return isEmpty ? null : plan;
}
