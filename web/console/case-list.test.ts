import './page-address-fixture.ts';
import { describe, expect, it } from 'vitest';
import {
  type CaseClip,
  type EvidenceItem,
  heldSpans,
  itemGroups,
  type LegalHold,
  spanOf,
  spanPlace,
} from './case-list.ts';

const COMMON = { note: '', addedBy: 'Ada', addedAtMs: 1 };
const CLIPS: ReadonlyMap<string, CaseClip> = new Map([
  ['both', { title: 'Van', span: { fromMs: 50, toMs: 60 } }],
  ['one', { title: 'Door', span: { fromMs: 5, toMs: 6 } }],
]);

function timeOf(uuid: string, cameraUuid: string, fromMs: number): EvidenceItem {
  return { ...COMMON, uuid, cameraUuid, cameraUuids: [cameraUuid], fromMs, toMs: fromMs + 10 };
}

function clipOf(uuid: string, clipUuid: string, cameraUuids: string[]): EvidenceItem {
  return { ...COMMON, uuid, clipUuid, cameraUuids };
}

describe('the items of a case', () => {
  it('are grouped by camera, in the order of their times, and clips of several cameras are last', () => {
    const items = [
      clipOf('1', 'both', ['dock', 'gate']),
      timeOf('2', 'dock', 20),
      clipOf('3', 'one', ['dock']),
      timeOf('4', 'gate', 30),
      timeOf('5', 'dock', 10),
    ];
    const shown = itemGroups(items, CLIPS).map(({ cameraUuid, items: own }) => [
      cameraUuid,
      own.map(({ uuid }) => uuid),
    ]);
    expect(shown).toEqual([
      ['dock', ['3', '5', '2']],
      ['gate', ['4']],
      [null, ['1']],
    ]);
  });

  it('have a time, unless they are a clip that was deleted', () => {
    expect(spanOf(timeOf('1', 'dock', 20), CLIPS)).toEqual({ fromMs: 20, toMs: 30 });
    expect(spanOf(clipOf('2', 'both', ['dock']), CLIPS)).toEqual({ fromMs: 50, toMs: 60 });
    expect(spanOf(clipOf('3', 'gone', ['dock']), CLIPS)).toBeNull();
  });

  it('are all in sight on the timeline', () => {
    const hourMs = 3_600_000;
    expect(spanPlace('dock', { fromMs: hourMs, toMs: 3 * hourMs })).toBe(
      `/console/timeline?camera=dock&at=${hourMs}&span=${4.8 * hourMs}`,
    );
    expect(spanPlace('dock', { fromMs: 0, toMs: 1 })).toContain('span=120000');
  });
});

it('a camera has the spans of its own holds', () => {
  const hold: LegalHold = { uuid: 'h', reason: 'Theft', heldBy: 'Ada', heldAtMs: 1 };
  const holds = [
    { ...hold, cameraUuid: 'dock', fromMs: 1, toMs: 2 },
    { ...hold, cameraUuid: 'gate', fromMs: 3, toMs: 4 },
    { ...hold, clipUuid: 'clip' },
  ];
  expect(heldSpans(holds, 'dock')).toEqual([{ fromMs: 1, toMs: 2 }]);
});
