/** What happened at cameras, of all kinds in one list. */

import { Type } from 'typebox';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import { invalidField } from '../../http/request-body.ts';
import { TIMELINE_KINDS } from '../reports/timeline-events.ts';

const MAX_CAMERAS = 500;
const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
const MAX_RANGE_MS = 32 * 86_400_000;
const PAGES = 'timelineEvents';

const EVENT_SCHEMA = namedType('TimelineEventType', {
  kind: oneOf(
    TIMELINE_KINDS,
    'MOTION: a policy alert about motion, a person, a vehicle, or an animal; ALERT: any other one; CAMERA: a change of ' +
      "the camera's health; DOOR: an event of a door that the camera sees; CLIP: a saved clip; BOOKMARK: a moment that " +
      '`createCustomFootageSeekpoints` named.',
  ),
  id: plainText('The UUID of the alert, event, clip, or bookmark; unique within its kind.'),
  timestampMs: int64('When it happened, in epoch milliseconds.'),
  durationSec: nullable(int32('How long it lasted. Absent: not known, or it is a moment.', 0)),
  deviceUuid: ruuid('The camera or the door.'),
  deviceName: nullable(plainText('The name of the door; absent for cameras.')),
  cameraUuid: ruuid(
    'The camera whose video shows it: for doors and clips, the first one of the requested cameras.',
  ),
  title: plainText(
    'The description of the alert, the title of the clip, or the name of the bookmark; may be empty.',
  ),
  what: listOf(
    plainText('A word.'),
    'The triggers of an alert, the type of a door event, or the symptom of a camera, such as `DOWN`; empty for a camera ' +
      'that is healthy again.',
  ),
  acknowledged: flag('Whether someone acknowledged the alert.'),
  status: nullable(plainText('How far a clip has come, such as `COMPLETE`; absent for other kinds.')),
  color: nullable(plainText('The color of a bookmark; absent: not chosen, or another kind.')),
});

const getTimelineEvents = defineEndpoint({
  path: '/api/event/getTimelineEvents',
  summary: 'Lists what happened at cameras: alerts, motion, doors, clips, and bookmarks.',
  description:
    'Newest first, all kinds in one order, for the list next to a timeline. To get the next page, send back ' +
    '`lastEvaluatedKey`; it is absent on the last page. A page can be shorter than `maxPageSize`, even empty, and have a ' +
    'next one: a call looks at a bounded number of events. The range can have up to 32 days. Private clips of others are ' +
    'not listed.',
  isExtension: true,
  request: Type.Object({
    cameraUuids: listOf(deviceUuid('The camera.'), `The cameras, at most ${MAX_CAMERAS}.`, MAX_CAMERAS),
    fromMs: int64('Start of the range, epoch milliseconds.', 0, MAX_TIME_MS),
    toMs: int64('End of the range, exclusive.', 0, MAX_TIME_MS),
    kinds: Type.Optional(
      listOf(oneOf(TIMELINE_KINDS, 'Kind.'), 'Only these kinds. Default: all.', TIMELINE_KINDS.length),
    ),
    maxPageSize: Type.Optional(
      int32(`Maximum number of events. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE),
    ),
    lastEvaluatedKey: PAGE_KEY,
  }),
  response: { events: listOf(EVENT_SCHEMA, 'The events.'), lastEvaluatedKey: NEXT_PAGE_KEY },
  example: {
    request: {
      cameraUuids: [EXAMPLE_CAMERA_UUID],
      fromMs: EXAMPLE_TIME_MS,
      toMs: EXAMPLE_TIME_MS + 86_400_000,
      kinds: ['MOTION'],
    },
    response: {
      events: [
        {
          kind: 'MOTION',
          id: '2f1b6c1a',
          timestampMs: EXAMPLE_TIME_MS + 60_000,
          durationSec: 12,
          deviceUuid: EXAMPLE_CAMERA_UUID,
          deviceName: null,
          cameraUuid: EXAMPLE_CAMERA_UUID,
          title: 'Person',
          what: ['MOTION_HUMAN'],
          acknowledged: false,
          status: null,
          color: null,
        },
      ],
      lastEvaluatedKey: null,
    },
  },
  async handler({ orgUuid, caller, services }, body) {
    const { cameraUuids, fromMs, toMs, kinds = TIMELINE_KINDS, maxPageSize = DEFAULT_PAGE_SIZE } = body;
    if (toMs <= fromMs) throw invalidField('toMs must be after fromMs.');
    if (toMs - fromMs > MAX_RANGE_MS) throw invalidField('The range can have at most 32 days.');
    const named = await Promise.all(
      [...new Set(cameraUuids)].map((each) => services.devices.findCamera(orgUuid, each)),
    );
    const { events, next } = await services.timelineEvents.page(orgUuid, {
      cameraUuids: [...new Set(named.map(({ camera }) => camera.uuid))],
      fromMs,
      toMs,
      kinds: new Set(kinds),
      after: body.lastEvaluatedKey == null ? null : markOf(body.lastEvaluatedKey),
      limit: maxPageSize,
      reader: caller.actor.uuid,
    });
    return {
      events: LongList.of([...events]).map(({ atMs, isAcknowledged, mark: _mark, what, ...event }) => ({
        ...event,
        timestampMs: atMs,
        what: [...what],
        acknowledged: isAcknowledged,
      })),
      lastEvaluatedKey: next === null ? null : pageKeyOf(PAGES, [next.atMs, next.id]),
    };
  },
});

function markOf(key: string) {
  const [atMs, id] = readPageKey(key, PAGES, ['number', 'string']);
  return { atMs, id };
}

export const TIMELINE_EVENT_ENDPOINTS: readonly Endpoint[] = [getTimelineEvents];
