/** The newest component events of a location or a user, for two endpoints. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import type { ComponentEventPage } from '../../events/component-events.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { int32, listOf } from '../../http/fields/field-types.ts';
import { COMPONENT_EVENT_SCHEMA, componentEventAnswer } from './component-event-type.ts';

const MAX_EVENTS = 1_000;
export const DEFAULT_EVENTS = 100;

export const EVENT_LIMIT = Type.Optional(
  int32(`Maximum number of events. Default ${DEFAULT_EVENTS}.`, 1, MAX_EVENTS),
);
export const COMPONENT_EVENTS = { componentEvents: listOf(COMPONENT_EVENT_SCHEMA, 'The events.') };

export function newestEventsAnswer(context: CallContext, { events, next }: ComponentEventPage) {
  if (next !== null) context.warn('There may be older events: get them with an earlier createdBeforeMs.');
  return { componentEvents: LongList.of(events).map(componentEventAnswer) };
}
