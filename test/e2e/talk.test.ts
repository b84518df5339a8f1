/** Talking to a camera through a whole gateway: GStreamer's ONVIF server plays what a client of this API family says. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SoundClient } from '../../src/front-door/sounds/sound-client-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { type GstSpeaker, startGstSpeaker } from '../support/gst-speaker.ts';
import { openShare } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const CONTROL = Uint8Array.from([...Buffer.from('ctrl'), 0, 0, 0, 8, ...Array(8).fill(0xff)]);
const FRAME_SAMPLES = 960;
const FRAME_MS = 20;
const TONE_HZ = 1_000;
const PEAK = 12_000;
const SPEAKER_RATE_HZ = 8_000;
/** Of 32768: a tone, and what G.711 makes of nothing. */
const [LOUD, QUIET] = [6_000, 200];

let pcma: GstSpeaker;
let pcmu: GstSpeaker;
let mute: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  pcma = await startGstSpeaker('PCMA');
  pcmu = await startGstSpeaker('PCMU');
  mute = await startCamera();
  gateway = await TestGateway.start({
    cameras: [
      { name: 'PCMA', rtsp: pcma.url },
      { name: 'PCMU', rtsp: pcmu.url },
      { name: 'Mute', rtsp: mute.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([pcma?.stop(), pcmu?.stop(), mute?.close()]);
});

async function newKey(role: string): Promise<{ key: string; tokenUuid: string }> {
  const wanted = { displayName: `${role} ${Math.random()}`, authType: 'API_TOKEN', role };
  const { apiKey: key } = await gateway.call('integrations/org/submitApiTokenApplication', wanted);
  const { apiTokens } = await gateway.call('integrations/org/getApiTokens');
  return {
    key,
    tokenUuid: apiTokens.find((each: Json) => each.displayName === wanted.displayName).tokenUuid,
  };
}

async function listen(name: string, key = API_KEY): Promise<SoundClient> {
  const cameraUuid = await gateway.cameraUuid(name);
  const { wanLiveOpusUri } = await gateway.call('camera/getMediaUris', { cameraUuid });
  return SoundClient.open(wanLiveOpusUri, { 'x-auth-scheme': 'api-token', 'x-auth-apikey': key });
}

/** What the client was told about talks. */
const told = ({ texts }: SoundClient) =>
  texts
    .map((text) => JSON.parse(text))
    .map(({ state, reason, isOwn, by }: Json) =>
      [state, reason ?? by ?? isOwn].filter((each) => each !== undefined).join(' '),
    );

function frame(index: number, isLoud: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * FRAME_SAMPLES);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < FRAME_SAMPLES && isLoud; at++) {
    const sec = (index * FRAME_SAMPLES + at) / 48_000;
    view.setInt16(2 * at, Math.round(PEAK * Math.sin(2 * Math.PI * TONE_HZ * sec)), true);
  }
  return bytes;
}

/** Frames of 20 ms, as they are spoken, until `isOver`. Returns when the first one was sent. */
async function speak(
  client: SoundClient,
  isLoud: (index: number) => boolean,
  isOver: () => boolean,
): Promise<number> {
  client.say(CONTROL);
  const startMs = Date.now();
  for (let index = 0; !isOver(); index++) {
    client.say(frame(index, isLoud(index)));
    const dueMs = startMs + (index + 1) * FRAME_MS;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - Date.now())));
  }
  return startMs;
}

/** Two seconds: five bursts, each with its pause. */
function samplesFromSecondBurst(samples: readonly number[]): number[] {
  let quietFor = 0;
  const start = samples.findIndex((sample) => {
    if (Math.abs(sample) > LOUD && quietFor > SPEAKER_RATE_HZ / 10) return true;
    quietFor = Math.abs(sample) > LOUD ? 0 : quietFor + (Math.abs(sample) < QUIET ? 1 : 0);
    return false;
  });
  return samples.slice(start, start + 2 * SPEAKER_RATE_HZ);
}

/** The newest first. */
async function talks(): Promise<Json[]> {
  const { auditEvents } = await gateway.call('report/getAuditFeed', { maxResults: 100 });
  return auditEvents.filter(({ action }: Json) => action === 'TALK_CAMERA');
}

const peakOf = (samples: Int16Array) => Math.max(0, ...samples.map(Math.abs));

describe('talking', () => {
  it.each<[string, () => GstSpeaker]>([
    ['PCMA', () => pcma],
    ['PCMU', () => pcmu],
  ])('is heard at a camera that takes %s, tone for tone', async (name, speakerOf) => {
    const [client, other] = [await listen(name), await listen(name)];
    const speaker = speakerOf();
    // Bursts of 200 ms, 200 ms apart. What is said while the connection opens may be cut.
    const isLoud = (index: number) => Math.floor(index / 10) % 2 === 0;
    const startMs = await speak(client, isLoud, () => speaker.heard().length >= 140);
    const heard = speaker.heard();
    const wholeBursts = samplesFromSecondBurst(heard.flatMap(({ samples }) => [...samples]));
    let [bursts, loudSamples, crossings, quietFor] = [0, 0, 0, SPEAKER_RATE_HZ];
    for (const [at, sample] of wholeBursts.entries()) {
      if (Math.abs(sample) > LOUD) {
        if (quietFor > SPEAKER_RATE_HZ / 10) bursts++;
        quietFor = 0;
        loudSamples++;
      } else if (Math.abs(sample) < QUIET) quietFor++;
      if (at > 0 && sample > 0 && wholeBursts[at - 1]! <= 0 && quietFor === 0) crossings++;
    }
    expect(bursts).toBe(5);
    // Of the eight samples of a period, six are louder than half the peak.
    expect(loudSamples / SPEAKER_RATE_HZ).toBeCloseTo(5 * 0.2 * 0.75, 1);
    expect(Math.round(crossings / 100)).toBe((TONE_HZ * 5 * 0.2) / 100);
    const first = heard.find(({ samples }) => peakOf(samples) > LOUD)!;
    // Each burst begins 400 ms after the one before.
    const later = heard.findLast(
      ({ samples }, at) => peakOf(samples) > LOUD && peakOf(heard[at - 1]!.samples) < QUIET,
    )!;
    const spokenMs = startMs + Math.round((later.atEpochMs - startMs - 200) / 400) * 400;
    const figures = `${first.atEpochMs - startMs} ms with the opening, then ${later.atEpochMs - spokenMs} ms`;
    process.stdout.write(`mouth to speaker: ${figures}\n`);
    await until('the end', () => told(client).at(-1) === 'ended');
    expect(told(client)).toEqual(['talking true', 'ended']);
    expect(told(other)[0]).toMatch(/^talking /);
    // Who talks would hear an echo; others hear the camera.
    expect(client.packets.some(({ isFar }) => isFar)).toBe(true);
    expect(other.packets.some(({ isFar }) => isFar)).toBe(false);
    for (const each of [client, other]) each.leave();
    const talk = (await talks())[0]!;
    expect(talk).toMatchObject({ occurrences: 1, targetName: name });
    expect(Date.parse(talk.lastTimestamp) - Date.parse(talk.timestamp)).toBeGreaterThan(2_000);
  });

  it('is refused to viewers, to links, and at cameras without a speaker', async () => {
    const viewer = await listen('PCMA', (await newKey('viewer')).key);
    await speak(
      viewer,
      () => true,
      () => told(viewer).length > 0,
    );
    expect(told(viewer)).toEqual(['refused not-authorized']);
    const { m3u8Url } = await gateway.share('PCMA', { includeAudio: true });
    const guest = await SoundClient.open(new URL('opus/ws', await openShare(m3u8Url)).href);
    await speak(
      guest,
      () => true,
      () => told(guest).length > 0,
    );
    expect(told(guest)).toEqual(['refused not-authorized']);
    const colleague = await listen('Mute', (await newKey('operator')).key);
    await speak(
      colleague,
      () => true,
      () => told(colleague).at(-1)?.startsWith('refused') === true,
    );
    // The camera may say so before the audit trail has the talk, or after.
    expect(['', 'talking true ended ']).toContain(
      told(colleague)
        .slice(0, -1)
        .map((each) => `${each} `)
        .join(''),
    );
    expect(told(colleague).at(-1)).toBe('refused capability-unavailable');
    for (const client of [viewer, guest, colleague]) client.leave();
  });

  it('is heard from a link that allows it, and ends with the link', async () => {
    const { uuid, m3u8Url } = await gateway.share('PCMA', { talk: true, name: 'Gate' });
    const folder = await openShare(m3u8Url);
    const [guest, other] = [await SoundClient.open(new URL('talk/ws', folder).href), await listen('PCMA')];
    const before = pcma.heard().length;
    const speaking = speak(
      guest,
      () => true,
      () => guest.end !== null,
    );
    await until('sound', () => pcma.heard().length > before);
    await gateway.call('camera/deleteSharedLiveVideoStream', { uuid });
    await speaking;
    expect([told(guest), guest.packets, guest.end]).toEqual([['talking true'], [], '1008 revoked']);
    await until('the end for others', () => told(other).at(-1) === 'ended');
    expect(told(other)).toEqual(['talking Gate', 'ended']);
    other.leave();
    const talk = (await talks())[0]!;
    expect(talk).toMatchObject({
      principalType: 'SHARED_STREAM',
      principalUuid: uuid,
      principalName: 'Gate',
    });
    expect(Date.parse(talk.lastTimestamp)).toBeGreaterThan(Date.parse(talk.timestamp));
  });

  it('ends when the key is revoked', async () => {
    const { key, tokenUuid } = await newKey('operator');
    const [client, other] = [await listen('PCMU', key), await listen('PCMU')];
    const before = pcmu.heard().length;
    const speaking = speak(
      client,
      () => true,
      () => client.end !== null,
    );
    await until('sound', () => {
      expect(told(client).filter((each) => each.startsWith('refused'))).toEqual([]);
      return pcmu.heard().length > before;
    });
    await gateway.call('integrations/org/revokeApiToken', { tokenUuid });
    await speaking;
    expect(client.end).toBe('1008 credential-ended');
    await until('the end for others', () => told(other).at(-1) === 'ended');
    other.leave();
  });

  it('ends when the camera is lost', async () => {
    const { m3u8Url } = await gateway.share('PCMA', { talk: true });
    const guest = await SoundClient.open(new URL('talk/ws', await openShare(m3u8Url)).href);
    const before = pcma.heard().length;
    const speaking = speak(
      guest,
      () => true,
      () => told(guest).length > 2,
    );
    await until('sound', () => pcma.heard().length > before);
    await pcma.stop();
    await speaking;
    expect(told(guest)).toEqual(['talking true', 'ended', 'refused device-unavailable']);
    expect(guest.end).toBeNull();
    guest.leave();
    const talk = (await talks())[0]!;
    expect(Date.parse(talk.lastTimestamp)).toBeGreaterThan(Date.parse(talk.timestamp));
  });
});
