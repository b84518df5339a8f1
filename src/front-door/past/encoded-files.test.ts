import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { ServedFile } from '../../playback/served-file.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import { EncodedFiles, MAX_ENCODED_MS } from './encoded-files.ts';

/** Nothing is sent in these tests. */
const NO_MEDIA_RESPONSES = {} as FrontDoorParts['responses'];
const { organization, link } = LIMITS.encodedFiles.levels;

let running: AbortSignal[];
let failure: Error | null;
let files: EncodedFiles;

beforeEach(() => {
  running = [];
  failure = null;
  files = new EncodedFiles(async function* (_order, ending) {
    running.push(ending);
    if (failure !== null) throw failure;
    yield Buffer.alloc(1);
  }, NO_MEDIA_RESPONSES);
});

function begin(orgUuid: Ruuid, audienceUuid: Ruuid = newRuuid(), durationMs = 1_000) {
  const session = { orgUuid, audienceUuid, wallShareUuid: null, grantText: newRuuid() };
  const source = {} as ServedFile;
  const order = { source, durationMs, hasAudio: true, masks: null, cameraUuid: newRuuid(), orgUuid };
  return files.begin(session as Partial<ViewerSession> as ViewerSession, order);
}

describe('files that are encoded while they are sent', () => {
  it('are bounded for an organization and for a link, and others find room', async () => {
    const [greedy, modest, shared] = [newRuuid(), newRuuid(), newRuuid()];
    for (let count = 0; count < link.max; count++) await begin(greedy, shared);
    await expect(begin(greedy, shared)).rejects.toMatchObject({
      code: 'TOO_MANY_PAST_READS',
      context: { boundOf: 'link' },
    });
    for (let count = link.max; count < organization.max; count++) await begin(greedy);
    await expect(begin(greedy)).rejects.toMatchObject({ context: { boundOf: 'organization' } });
    await begin(modest);
    expect(running).toHaveLength(organization.max + 1);
  });

  it('give their place back when they are not wanted, and when they fail', async () => {
    const org = newRuuid();
    failure = new Error('no worker');
    for (let count = 0; count < 10; count++) await expect(begin(org)).rejects.toThrow('no worker');
    failure = null;
    for (let count = 0; count < 10; count++) (await begin(org)).discard();
    expect(running.every(({ aborted }) => aborted)).toBe(true);
  });

  it('last an hour at most, and need an encoder', async () => {
    await expect(begin(newRuuid(), newRuuid(), MAX_ENCODED_MS + 1)).rejects.toMatchObject({
      code: 'RANGE_TOO_LARGE',
    });
    files = new EncodedFiles(null, NO_MEDIA_RESPONSES);
    await expect(begin(newRuuid())).rejects.toMatchObject({ code: 'PLAYBACK_NO_ENCODER' });
  });
});
