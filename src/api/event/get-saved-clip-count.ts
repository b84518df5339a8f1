/** POST /api/event/getSavedClipCount: how many saved clips match a filter. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import type { ResourceMark } from '../../store/resource.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../base/examples.ts';
import { int64, listOf, ruuid } from '../base/field-types.ts';
import { savedClipsOf } from './saved-clip.ts';

const MAX_FILTER_ENTRIES = 500;
const CHUNK_CLIPS = 1_000;

export const getSavedClipCount = defineEndpoint({
  path: '/api/event/getSavedClipCount',
  summary: 'Counts the saved clips that match a filter.',
  description:
    'A clip matches by any of its devices, by its location, and when what it shows began from `startTimeMs` up to but ' +
    'not including `endTimeMs`. An absent or empty filter lets every clip pass.',
  request: Type.Object({
    deviceFilter: Type.Optional(
      listOf(
        ruuid('Device.'),
        `Only clips of these devices, at most ${MAX_FILTER_ENTRIES}.`,
        MAX_FILTER_ENTRIES,
      ),
    ),
    locationFilter: Type.Optional(
      listOf(
        ruuid('Location.'),
        `Only clips of these locations, at most ${MAX_FILTER_ENTRIES}.`,
        MAX_FILTER_ENTRIES,
      ),
    ),
    startTimeMs: Type.Optional(int64('First instant that counts, in epoch milliseconds.', 0, MAX_TIME_MS)),
    endTimeMs: Type.Optional(
      int64('First instant that no longer counts, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
  }),
  response: {
    count: int64('Matching clips of the organisation, private ones not among them.'),
    privateCount: int64('Matching private clips.'),
  },
  example: {
    request: { deviceFilter: [EXAMPLE_CAMERA_UUID], startTimeMs: EXAMPLE_TIME_MS },
    response: { count: 12, privateCount: 1 },
  },
  async handler({ orgUuid, services }, body) {
    const devices = new Set(body.deviceFilter);
    const locations = new Set(body.locationFilter);
    const fromMs = body.startTimeMs ?? 0;
    const toMs = body.endTimeMs ?? MAX_TIME_MS + 1;
    const clips = savedClipsOf(services.store);
    let count = 0;
    let privateCount = 0;
    let after: ResourceMark | null = null;
    for (;;) {
      const chunk = await clips.page(orgUuid, { after, limit: CHUNK_CLIPS });
      for (const { body: clip } of chunk) {
        if (
          devices.size > 0 &&
          !clip.deviceUuids.some((device) => devices.has(parseDeviceFacetUuid(device)!.uuid))
        )
          continue;
        if (locations.size > 0 && (clip.locationUuid === null || !locations.has(clip.locationUuid))) continue;
        if (clip.timestampMs < fromMs || clip.timestampMs >= toMs) continue;
        if (clip.accessSettings?.visibility === 'PRIVATE') privateCount += 1;
        else count += 1;
      }
      if (chunk.length < CHUNK_CLIPS) return { count, privateCount };
      after = chunk.at(-1) ?? null;
    }
  },
});
