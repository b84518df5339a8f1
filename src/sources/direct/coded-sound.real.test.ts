import { afterEach, describe, expect, it, vi } from 'vitest';
import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import type { SoundOffer } from '../../stream/source/source-events.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from '../sound/sound-path.ts';
import { DirectRtspSource } from './direct-rtsp-source.ts';
import { type CameraScript, decentScript, FAKE_CAMERA_SDP, FakeCamera, fakeKeyFrame } from './fake-camera.ts';

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });
const PCMU = 'm=audio 0 RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\na=control:sound\r\n';
const TALK_BACK = 'm=audio 0 RTP/AVP 0\r\na=control:talk\r\na=sendonly\r\n';
const SOUND_CHANNEL = 2;

/** Takes PCMU and returns only what the test says. */
class FakeSound implements SoundPaths, SoundPath {
  readonly track = aacTrackOf(buildAudioSpecificConfig(48_000, 1))!;
  readonly payloads: [text: string, clockTicks: number][] = [];
  events: SoundPathEvents | null = null;
  isClosed = false;

  carries({ encoding }: { encoding: string }): boolean {
    return encoding === 'pcmu';
  }
  open(_format: unknown, events: SoundPathEvents): SoundPath {
    this.events = events;
    return this;
  }
  push(chunk: Uint8Array, start: number, end: number, clockTicks: number): void {
    this.payloads.push([Buffer.from(chunk.subarray(start, end)).toString(), clockTicks]);
  }
  gap(): void {
    this.payloads.push(['gap', 0]);
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function soundPacket(index: number, text: string): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt8(0x80, 0);
  header.writeUInt16BE(index, 2);
  header.writeUInt32BE(index * 160, 4);
  header.writeUInt32BE(0x55667788, 8);
  return Buffer.concat([header, Buffer.from(text)]);
}

/** Sends `sounds` audio packets after its two frames. */
function withSound(sdp: string, sounds: number): CameraScript {
  const decent = decentScript(0, sdp);
  return (request, connection) => {
    decent(request, connection);
    if (request.method !== 'PLAY') return;
    for (let index = 0; index < 3; index++) connection.sendFrame(0, fakeKeyFrame(index));
    for (let index = 0; index < sounds; index++)
      connection.sendFrame(SOUND_CHANNEL, soundPacket(index, `sound ${index}`));
  };
}

describe('a direct camera whose audio is not AAC', () => {
  let camera: FakeCamera | null = null;
  let instance: SourceInstance | null = null;

  afterEach(async () => {
    await instance?.close();
    await camera?.close();
  });

  async function play(script: CameraScript, sound: FakeSound) {
    camera = await FakeCamera.listen(script);
    const seen = {
      tracks: [] as (readonly Track[])[],
      units: [] as AccessUnit[],
      offers: [] as SoundOffer[],
      ended: 0,
    };
    const url = new CredentialUrl(camera.url());
    const source = new DirectRtspSource({ url, transport: 'tcp', clock: systemClock, log: silentLog, sound });
    instance = source.open(
      new SourceSink({
        onTracks: (tracks) => seen.tracks.push(tracks),
        onAccessUnit: (unit) => seen.units.push({ ...unit }),
        onSound: (offer) => seen.offers.push(offer),
        onDropped: () => undefined,
        onEnded: () => void seen.ended++,
      }),
    );
    await eventually(() => expect(seen.units.length).toBeGreaterThan(0));
    const setUp = camera.requests
      .filter(({ method }) => method === 'SETUP')
      .map(({ uri }) => uri.split('/').at(-1));
    return { camera, seen, setUp };
  }

  it('passes its payloads on, announces AAC from the start, and passes on what comes back', async () => {
    const sound = new FakeSound();
    const { seen, setUp } = await play(withSound(FAKE_CAMERA_SDP + PCMU, 3), sound);
    expect(setUp).toEqual(['trackID=1', 'sound']);
    expect(seen.tracks.map((tracks) => tracks.map(({ codec }) => codec))).toEqual([['h264', 'aac']]);
    expect(seen.offers).toEqual([{ kind: 'announced' }]);
    await eventually(() =>
      expect(sound.payloads.map(([text]) => text)).toEqual(['sound 0', 'sound 1', 'sound 2']),
    );
    expect(sound.payloads.map(([, ticks]) => ticks - sound.payloads[0]![1])).toEqual([0, 160, 320]);
    sound.events!.onUnit(4_096, Uint8Array.of(1, 2));
    expect(seen.units.at(-1)).toMatchObject({ trackIndex: 1, dtsTicks: 4_096, ptsTicks: 4_096, isKey: true });
    sound.events!.onWaiting(true);
    sound.events!.onWaiting(false);
    expect(seen.offers.slice(1)).toEqual([{ kind: 'waiting' }, { kind: 'announced' }]);
    await instance!.close();
    expect(sound.isClosed).toBe(true);
    const { length } = seen.units;
    sound.events!.onUnit(8_192, Uint8Array.of(1));
    expect([seen.units.length, seen.ended]).toEqual([length, 0]);
  });

  it('does not set up a talk-back', async () => {
    const { seen, setUp } = await play(withSound(FAKE_CAMERA_SDP + TALK_BACK, 0), new FakeSound());
    expect(setUp).toEqual(['trackID=1']);
    expect(seen.offers).toEqual([{ kind: 'none' }]);
  });

  it('plays without audio that the camera refuses to set up', async () => {
    const decent = withSound(FAKE_CAMERA_SDP + PCMU, 0);
    const { seen } = await play((request, connection) => {
      if (request.method === 'SETUP' && request.uri.endsWith('sound')) connection.reply(request, 404);
      else decent(request, connection);
    }, new FakeSound());
    expect(seen.tracks[0]!.map(({ kind }) => kind)).toEqual(['video']);
    expect(seen.offers).toEqual([{ kind: 'none' }]);
  });

  it('names audio that nothing here can transcode', async () => {
    const sdp = `${FAKE_CAMERA_SDP}m=audio 0 RTP/AVP 18\r\na=control:sound\r\n`;
    const { seen, setUp } = await play(withSound(sdp, 0), new FakeSound());
    expect(setUp).toEqual(['trackID=1']);
    expect(seen.offers).toEqual([{ kind: 'unsupported', encoding: 'g729' }]);
  });
});
