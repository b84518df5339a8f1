/** Threshold crossings one by one (docs/spec/conventions.md#events). */

import type { Static } from 'typebox';
import { int32, int64, namedType, oneOf } from '../../http/fields/field-types.ts';
import { CROSSING_DIRECTIONS, CROSSING_OBJECTS, type Crossing } from '../../store/crossing.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';

export const THRESHOLD_EVENT_SCHEMA = namedType('MinimalThresholdEvent', {
  timestampMs: int64('When it crossed, in epoch milliseconds.'),
  objectId: int32('The ID that the camera tracks the object by.'),
  crossingObject: oneOf(CROSSING_OBJECTS, 'What crossed.'),
  direction: oneOf(CROSSING_DIRECTIONS, 'Whether it came in or went out.'),
});

export const EXAMPLE_THRESHOLD_EVENT: Static<typeof THRESHOLD_EVENT_SCHEMA> = {
  timestampMs: EXAMPLE_TIME_MS,
  objectId: 17,
  crossingObject: 'HUMAN',
  direction: 'INGRESS',
};

export function thresholdEventAnswer(crossing: Crossing): Static<typeof THRESHOLD_EVENT_SCHEMA> {
  const { atMs: timestampMs, objectId, object: crossingObject, direction } = crossing;
  return { timestampMs, objectId, crossingObject, direction };
}
