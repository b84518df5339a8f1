import { describe, expect, it } from 'vitest';
import type { OpenGroup, SharedClip } from '../../web/clips-open.ts';
import {
  clipsCard,
  clipTitle,
  downloadUrl,
  durationText,
  groupTitle,
  placeText,
  type SharedKind,
  sizeText,
  statusText,
  summaryText,
  timeText,
} from '../../web/clips-text.ts';
import type { Refusal } from '../../web/open.ts';

const CLIP: SharedClip = {
  id: 'a',
  state: 'ready',
  title: '',
  description: '',
  startEpochMs: null,
  durationSec: null,
  percent: null,
  files: [{ label: 'Dock', url: '', imageUrl: null, byteLength: 1 }],
};
const GROUP: OpenGroup = {
  kind: 'clip',
  title: '',
  description: '',
  clips: [CLIP],
  ofCase: null,
  expiresAtEpochMs: null,
};

describe('the words of the page of shared clips', () => {
  it('name a clip by its title, otherwise by its only camera', () => {
    expect(clipTitle({ ...CLIP, title: 'Van' })).toBe('Van');
    expect(clipTitle(CLIP)).toBe('Dock');
    expect(clipTitle({ ...CLIP, files: [...CLIP.files, ...CLIP.files] })).toBe('Clip');
    expect(clipTitle({ ...CLIP, state: 'deleted', files: [] })).toBe('Deleted clip');
    expect(groupTitle(GROUP)).toBe('Shared clips');
    expect(groupTitle({ ...GROUP, kind: 'timelapse' })).toBe('Shared timelapses');
  });

  it('count what exists', () => {
    const of = (...states: SharedClip['state'][]) =>
      summaryText({ ...GROUP, clips: states.map((state) => ({ ...CLIP, state })) });
    expect(of('ready')).toBe('1 clip');
    expect(of('ready', 'making', 'deleted')).toBe('2 clips, 1 being made');
    expect(of('deleted')).toBe('0 clips');
    expect(summaryText({ ...GROUP, kind: 'timelapse' })).toBe('1 timelapse');
    expect(summaryText({ ...GROUP, expiresAtEpochMs: 0 })).toMatch(/^1 clip · Available until .*(?:1970|69)/);
  });

  it('have times with the zone, and the camera where the title does not name it', () => {
    const clip = { ...CLIP, startEpochMs: Date.UTC(2026, 6, 1, 12, 5, 9) };
    expect(placeText({ ...clip, title: 'Van' })).toMatch(/^Dock · .*2026.*05:09.*(?:UTC|GMT|[A-Z]{3,4})/);
    expect(placeText(clip)).toBe(timeText(clip.startEpochMs));
    expect(placeText({ ...clip, title: 'Van', files: [...CLIP.files, ...CLIP.files] })).not.toContain('Dock');
    expect(timeText(0, 'dateZone')).toMatch(/UTC|GMT|[A-Z]{3,4}/);
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    expect(new URL(downloadUrl({ url: 'http://a/b.mp4' })).searchParams.get('tz')).toBe(timeZone);
  });

  it('say how far a clip has come, and that one failed', () => {
    expect(statusText({ state: 'ready', percent: null })).toBe('');
    expect(statusText({ state: 'making', percent: null })).toBe('Being made…');
    expect(statusText({ state: 'making', percent: 0 })).toBe('Being made…');
    expect(statusText({ state: 'making', percent: 41 })).toBe('Being made: 41 %');
    expect(statusText({ state: 'failed', percent: null })).toBe('This clip could not be made.');
    expect(statusText({ state: 'deleted', percent: null })).toBe('This clip was deleted.');
  });

  it('have durations and sizes', () => {
    expect([0, 42, 725, 3_723, null].map(durationText)).toEqual(['0:00', '0:42', '12:05', '1:02:03', '']);
    expect(sizeText({ byteLength: 10 })).toMatch(/^0[.,]1 MB$/);
    expect(sizeText({ byteLength: 123_400_000 })).toBe('123 MB');
  });

  it('speak of clips where a share’s page speaks of a camera', () => {
    const refusal = (reason: Refusal['reason']): Refusal => ({
      reason,
      untilEpochMs: null,
      retryAfterSec: null,
    });
    const revoked = (kind: SharedKind) => clipsCard(refusal('revoked'), 0, kind).text;
    expect(revoked('clips')).toBe('The person who shared these clips has stopped sharing them.');
    expect(revoked('case')).toBe('The person who shared this case has stopped sharing it.');
    expect(revoked('unknown')).not.toMatch(/clip|case/);
    for (const reason of ['revoked', 'expired', 'busy', 'restarting', 'too-many-opens', 'unknown'] as const) {
      for (const kind of ['case', 'unknown'] as const) {
        expect(clipsCard(refusal(reason), 0, kind).text).not.toMatch(/clip/i);
      }
      expect(clipsCard(refusal(reason), 0, 'clips').text).not.toMatch(/camera|video/i);
    }
  });
});
