/**
 * Cameras that sign their video (ONVIF Media Signing): GStreamer's RTSP server sends the files that the reference implementation
 * signed. What the gateway says live, what it records, and what it exports.
 */

import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesOf } from '../../src/front-door/files/archive-fixture.ts';
import { runCli } from '../support/cli.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { type GstCamera, type GstCameraKind, startGstCamera } from '../support/gst-camera.ts';
import { BY_KEY, rangeOf, recordMore, type TestRange } from '../support/recorded-past.ts';
import { until } from '../support/until.ts';

const ANCHOR = resolve(import.meta.dirname, '../../src/codec/media-signing/fixtures/ca.pem');
const WAIT_MS = 60_000;
const KINDS: Readonly<Record<string, GstCameraKind>> = {
  Gate: 'h264-signed-only',
  Hall: 'h265-signed-only',
  Yard: 'h264-signed-changed-only',
  Roof: 'h264-signed-lossy-only',
  Shed: 'h264-only',
};

describe.each([0, 2])('with %i camera threads', (cameraThreads) => {
  const peers: GstCamera[] = [];
  const uuids = new Map<string, string>();
  let gateway: TestGateway;
  let range: TestRange;

  beforeAll(async () => {
    const cameras: Json[] = [];
    for (const [name, kind] of Object.entries(KINDS)) {
      const peer = await startGstCamera(kind);
      peers.push(peer);
      cameras.push({ name, rtsp: peer.url, recording: 'always' });
    }
    gateway = await TestGateway.start({
      threads: { cameras: cameraThreads },
      recording: { minFree: '16MiB' },
      sources: { signingAnchors: ANCHOR },
      cameras,
    });
    for (const { name } of cameras) uuids.set(name, await gateway.cameraUuid(name));
    const fromMs = Date.now();
    await recordMore(gateway, 8);
    range = rangeOf(fromMs, Date.now() - 1_000);
  });

  afterAll(async () => {
    await gateway?.dispose();
    for (const peer of peers) await peer.stop();
  });

  async function signingOf(name: string): Promise<Json> {
    const { fullCameraState } = await gateway.call('camera/getFullCameraState', {
      cameraUuid: uuids.get(name),
    });
    return fullCameraState.onCameraState.v0.signing ?? {};
  }

  /** Until the gateway says it of the camera. */
  function untilIs(name: string, state: string): Promise<Json> {
    return until(
      `${name} is ${state}`,
      async () => {
        const signing = await signingOf(name);
        return signing.state === state ? signing : null;
      },
      WAIT_MS,
    );
  }

  /** `sluice verify` of a file of the camera's recorded time. */
  async function verified(name: string): Promise<string> {
    const { startSec, durationSec } = range;
    const url = `${gateway.mediaUrl}/media/${uuids.get(name)}/local/vod/${startSec}/${durationSec}/clip.mp4`;
    const response = await fetch(url, { headers: BY_KEY });
    expect(response.status).toBe(200);
    const file = join(gateway.folder, `${name}.mp4`);
    await writeFile(file, new Uint8Array(await response.arrayBuffer()));
    return (await runCli('verify', file, '--anchor', ANCHOR)).stdout;
  }

  it.each(['Gate', 'Hall'])('video of %s is signed, and by whom', async (name) => {
    expect(await untilIs(name, 'signed')).toMatchObject({
      // The camera's clock was never set, and its certificate has expired since.
      trust: 'untrusted',
      subject: expect.stringContaining('CN=Test camera'),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      sinceMs: expect.any(Number),
    });
    expect(await signingOf(name)).not.toHaveProperty('changedAtMs');
  });

  it('shows that one byte of a frame is not as the camera signed it', async () => {
    const signing = await untilIs('Yard', 'changed');
    expect(signing).toMatchObject({ reason: 'units-changed', changedAtMs: expect.any(Number) });
    const { findings } = await gateway.call('console/getSystemState');
    expect(findings).toContainEqual(expect.objectContaining({ code: 'CAMERA_VIDEO_CHANGED' }));
    await gateway.child.line(/camera signature wrong/);
  });

  it('is incomplete, and never changed, while packets are lost', async () => {
    const signing = await untilIs('Roof', 'incomplete');
    expect(signing.changedAtMs ?? null).toBeNull();
    await recordMore(gateway, 10);
    expect((await signingOf('Roof')).changedAtMs ?? null).toBeNull();
  });

  it('says nothing of a camera that does not sign until it is known, and then that', async () => {
    expect(await untilIs('Shed', 'none')).toEqual({ state: 'none', sinceMs: expect.any(Number) });
  });

  it.each(['Gate', 'Hall'])('the recording of %s, exported as a clip, is signed', async (name) => {
    const said = await verified(name);
    expect(said).toContain('signed');
    expect(said).not.toContain('changed');
  });

  it('a saved clip says what the camera signed', async () => {
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [uuids.get('Gate'), uuids.get('Yard'), uuids.get('Shed')],
      startTimeMillis: range.startSec * 1_000,
      durationSec: range.durationSec,
      saveToConsole: true,
    });
    const clip = await until('the clip', async () => {
      const { clip: made } = await gateway.call('event/getClipWithProgress', { clipUuid });
      expect(made.status).not.toBe('FAILED');
      return made.status === 'COMPLETE' ? made : null;
    });
    const [gate, yard, ...more] = clip.cameraSignatures;
    expect(more).toEqual([]);
    expect(gate).toMatchObject({ cameraUuid: uuids.get('Gate'), changed: 0 });
    expect(gate.subject).toContain('CN=Test camera');
    expect(yard.changed).toBeGreaterThan(0);
  });

  it('the check of a recording says what the camera signed', async () => {
    const fromMs = range.startSec * 1_000;
    const time = { fromMs, toMs: fromMs + range.durationSec * 1_000 };
    const check = (name: string) =>
      gateway.call('evidence/validateRecording', { cameraUuid: uuids.get(name), ...time });
    const { cameraSignature: gate } = await check('Gate');
    expect(gate).toMatchObject({
      changed: 0,
      incomplete: 0,
      subject: expect.stringContaining('CN=Test camera'),
    });
    expect(gate.signed).toBeGreaterThan(1);
    expect((await check('Yard')).cameraSignature.changed).toBeGreaterThan(0);
    expect(await check('Shed')).not.toHaveProperty('cameraSignature');
  });

  it('the archive of a case says what the cameras signed', async () => {
    const { case: opened } = await gateway.call('evidence/createCase', { title: 'Gate' });
    const fromMs = range.startSec * 1_000;
    for (const name of ['Gate', 'Yard', 'Shed']) {
      const time = { cameraUuid: uuids.get(name), fromMs, toMs: fromMs + range.durationSec * 1_000 };
      await gateway.call('evidence/addToCase', { caseUuid: opened.uuid, ...time });
    }
    const { savedClips } = await gateway.call('event/getSavedClipsV2', {});
    await gateway.call('evidence/addToCase', { caseUuid: opened.uuid, clipUuid: savedClips[0].uuid });
    await gateway.call('evidence/sealCase', { caseUuid: opened.uuid });
    await until('the seal', async () => {
      const { case: now } = await gateway.call('evidence/getCase', { caseUuid: opened.uuid });
      expect(now.state).not.toBe('failed');
      return now.state === 'sealed';
    });
    const { downloadUrl } = await gateway.call('evidence/createCaseLink', { caseUuid: opened.uuid });
    const file = join(gateway.folder, 'case.zip');
    const archive = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
    await writeFile(file, archive);
    const { code, stdout } = await runCli('verify', file);
    expect(code, stdout).toBe(0);
    const [gate, yard, shed] = ['Gate', 'Yard', 'Shed'].map((name) => linesAfter(stdout, `-${name}.mp4`));
    expect(gate).toMatch(/by the camera: [1-9]\d* signed/);
    expect(gate).not.toContain('changed');
    expect(gate).toMatch(/certificate [0-9a-f]{64} \(Test camera\)/);
    expect(yard).toMatch(/by the camera: \d+ signed, .*[1-9]\d* changed/);
    expect(shed).not.toContain('by the camera');
    // As found when the clip was copied.
    expect(linesAfter(stdout, 'clips/').match(/by the camera/g)).toHaveLength(2);
    const [name, media] = [...(await filesOf(archive))].find(([each]) => /^media\/.*-Gate\.mp4$/.test(each))!;
    const alone = join(gateway.folder, basename(name));
    await writeFile(alone, media);
    expect((await runCli('verify', alone)).stdout).toMatch(/^signed /m);
  });

  it('the recording of changed video says so', async () => {
    expect(await verified('Yard')).toContain('changed');
  });
});

/** The lines about files of this name, with what is indented below them. */
function linesAfter(report: string, name: string): string {
  const blocks = report.split(/\n(?=\S)/);
  return blocks.filter((block) => block.split('\n')[0]!.includes(name)).join('\n');
}
