/** Varieties of video: sizes, rates, groups, coding tools, parameter sets, and video that changes. */

import { NAL_IDR_SLICE, NAL_PPS, NAL_SPS, nalType } from '../../../../src/codec/h264/nal-unit.ts';
import type { Clip, LoadClipOptions } from '../../../../src/synthetic-camera/clip.ts';
import { type Behaviour, type BehaviourOptions, plays } from '../behaviour.ts';
import { benchClip, camera } from '../cameras.ts';

const group = 'pictures';
const SHORT_CLIP_SEC = 16;

type Shape = Partial<LoadClipOptions>;

const shaped = (shape: Shape): (() => Promise<Clip>) => {
  const options = { durationSec: SHORT_CLIP_SEC, ...shape };
  return () => benchClip(options);
};

function playing(
  name: string,
  reading: Behaviour['reading'],
  clip: () => Promise<Clip>,
  options: BehaviourOptions = {},
): Behaviour {
  return plays({ group, name, reading, start: camera({ clip, habits: { startsAtOnce: true } }) }, options);
}

const GROUPS_SEC = [0.5, 2, 4, 10, 20];
const RATES = [1, 5, 10, 15, 30, 50];
const SIZES: readonly (readonly [number, number])[] = [
  [64, 64],
  [176, 144],
  [352, 288],
  [704, 576],
  [640, 480],
  [1_280, 720],
  [1_920, 1_080],
];

/** x264 arguments that replace the clip's; they also name the group. */
const x264 = (params: string, ...more: string[]): Shape => ({
  encoderArguments: [
    ...more,
    '-x264-params',
    `keyint=25:min-keyint=25:scenecut=0:open-gop=0:repeat-headers=1:${params}`,
  ],
});

const CODINGS: Readonly<Record<string, Shape>> = {
  'constrained baseline': x264('', '-profile:v', 'baseline'),
  'main profile': x264('', '-profile:v', 'main'),
  CAVLC: x264('cabac=0'),
  'four slices': x264('slices=4'),
  'a slice for each row': x264('slice-max-mbs=20'),
  'key frames only': x264('keyint=1'),
  'four references': x264('ref=4'),
  'weighted prediction': x264('weightp=2'),
  'access unit delimiters': x264('aud=1'),
  'field order in SEI': x264('pic-struct=1:nal-hrd=vbr:vbv-maxrate=400:vbv-bufsize=400'),
  'full range': x264('fullrange=on'),
  'interlaced, MBAFF': x264('tff=1'),
  'a size that needs cropping': { widthPx: 326, heightPx: 182 },
  'non-square pixels': x264('sar=4/3'),
};

/**
 * B pictures are those that no other refers to; each is shown one place before it is sent, and the pictures they refer
 * to after them.
 */
function inShownOrder(clip: Clip): Clip {
  const isB = clip.pictures.map(({ nalus }) => ((nalus.find((nalu) => isSlice(nalu))![0]! >> 5) & 3) === 0);
  const presentationDelays = isB.map((isShownBefore, index) => {
    if (isShownBefore) return 0;
    let following = 0;
    while (isB[index + 1 + following] === true) following += 1;
    return following + 1;
  });
  return { ...clip, presentationDelays };
}

function isSlice(nalu: Uint8Array): boolean {
  const type = nalType(nalu[0]!);
  return type >= 1 && type <= NAL_IDR_SLICE;
}

const reordered = (bframes: number): (() => Promise<Clip>) => {
  let made: Promise<Clip> | null = null;
  const clip = shaped(x264(`bframes=${bframes}:b-adapt=0:b-pyramid=none:weightb=0`, '-bf', String(bframes)));
  return () => {
    made ??= clip().then(inShownOrder);
    return made;
  };
};

/** Adds NAL units before each picture's, or removes some. */
function rebuilt(rebuild: (nalus: readonly Uint8Array[]) => readonly Uint8Array[]): () => Promise<Clip> {
  let made: Promise<Clip> | null = null;
  return () => {
    made ??= shaped({})().then((clip) => ({
      ...clip,
      pictures: clip.pictures.map((picture) => ({ ...picture, nalus: rebuild(picture.nalus) })),
    }));
    return made;
  };
}

/** User data of 1,500 bytes. ITU-T H.264 D.1.6: payload type 5, size in bytes of 255. */
function userData(): Uint8Array {
  const size = 1_500;
  const head = [0x06, 0x05, ...new Array<number>(Math.floor(size / 255)).fill(0xff), size % 255];
  return Uint8Array.from([...head, ...new Array<number>(size).fill(0x41), 0x80]);
}

const isParameterSet = (nalu: Uint8Array): boolean => [NAL_SPS, NAL_PPS].includes(nalType(nalu[0]!));
const AUD = Uint8Array.of(0x09, 0xf0);
const FILLER = Uint8Array.from([0x0c, ...new Array<number>(600).fill(0xff), 0x80]);
const END_OF_SEQUENCE = Uint8Array.of(0x0a);

/** Key frames have them anyway. */
function everywhere(): () => Promise<Clip> {
  return async () => {
    const clip = await shaped({})();
    const pictures = clip.pictures.map((picture) =>
      picture.isKey ? picture : { ...picture, nalus: [clip.sps, clip.pps, ...picture.nalus] },
    );
    return { ...clip, pictures };
  };
}

const NALUS: Readonly<Record<string, () => Promise<Clip>>> = {
  'SEI of 1,500 bytes before each': rebuilt((nalus) => [userData(), ...nalus]),
  'delimiter, filler and SEI': rebuilt((nalus) => [AUD, userData(), ...nalus, FILLER]),
  'parameter sets before every frame': everywhere(),
  'end of sequence after each': rebuilt((nalus) => [...nalus, END_OF_SEQUENCE]),
};

const noSprop = { describe: (sdp: string) => sdp.replace(/;sprop-parameter-sets=[^\r]*/, '') };
const noFmtp = { describe: (sdp: string) => sdp.replace(/a=fmtp:96 [^\r]*\r\n/, '') };
const startCodeInSprop = {
  describe: (sdp: string) =>
    sdp.replace(/sprop-parameter-sets=([^,]+),([^\r]+)/, (_all, sps: string, pps: string) => {
      const marked = (text: string) =>
        Buffer.concat([Buffer.from(text, 'base64'), Buffer.from([0, 0, 0, 1])]).toString('base64');
      return `sprop-parameter-sets=${marked(sps)},${marked(pps)}`;
    }),
};
/** Parameter sets for 480 × 270, while the video is 320 × 180. */
const OTHER_SPROP = 'Z2QAFay0DwR/UIAAAAMAgAAAGQeLF1A=,aO88sA==';
const wrongSprop = {
  describe: (sdp: string) =>
    sdp.replace(/sprop-parameter-sets=[^\r]*/, `sprop-parameter-sets=${OTHER_SPROP}`),
};

const parameterSets: readonly Behaviour[] = (['tcp', 'udp', 'worker'] as const).flatMap((reading) => [
  plays({ group, name: 'parameter sets in band only', reading, start: camera({ habits: noSprop }) }),
  plays({
    group,
    name: 'parameter sets in the description only',
    reading,
    start: camera({ clip: rebuilt((nalus) => nalus.filter((nalu) => !isParameterSet(nalu))) }),
  }),
  plays(
    {
      group,
      name: 'parameter sets of another size in the description',
      reading,
      start: camera({ habits: wrongSprop }),
    },
    { maxSeams: 1 },
  ),
]);

const changes: readonly Behaviour[] = (['tcp', 'udp', 'worker'] as const).flatMap((reading) =>
  (['none', 'AAC'] as const).map((sound) => {
    const start = async () => {
      const clip = await benchClip({ widthPx: 480, heightPx: 270 });
      return camera({ sound, faults: { changeResolutionAfter: { afterMs: 6_000, clip } } })();
    };
    const identity = { group, name: `a size change in mid-stream, audio: ${sound}`, reading, start };
    return reading === 'worker'
      ? plays(identity, { maxSeams: 2, mayLose: true, watchSec: 12, minPace: 0.5 })
      : plays(identity, { maxSeams: 1, watchSec: 12 });
  }),
);

export const cases: readonly Behaviour[] = [
  ...GROUPS_SEC.map((gopSec) =>
    playing(
      `a key frame every ${gopSec} s`,
      'tcp',
      shaped({ gopSec, durationSec: gopSec === 20 ? 80 : gopSec === 10 ? 80 : SHORT_CLIP_SEC }),
      { startWithinSec: 2 * gopSec + 8, watchSec: Math.max(8, gopSec + 4) },
    ),
  ),
  ...[4, 10].map((gopSec) =>
    playing(
      `a key frame every ${gopSec} s`,
      'worker',
      shaped({ gopSec, durationSec: gopSec === 10 ? 80 : SHORT_CLIP_SEC }),
      { startWithinSec: 2 * gopSec + 14, watchSec: gopSec + 4 },
    ),
  ),
  ...RATES.map((fps) =>
    playing(`${fps} frames per second`, 'tcp', shaped({ fps, gopSec: fps === 1 ? 4 : 1 }), {
      startWithinSec: fps === 1 ? 14 : 6,
      watchSec: fps === 1 ? 14 : 8,
      minPace: fps === 1 ? 0.8 : 0.9,
    }),
  ),
  ...[10, 30].map((fps) => playing(`${fps} frames per second`, 'worker', shaped({ fps }))),
  ...SIZES.map(([widthPx, heightPx]) =>
    playing(`${widthPx} × ${heightPx}`, 'tcp', shaped({ widthPx, heightPx })),
  ),
  playing('1920 × 1080', 'worker', shaped({ widthPx: 1_920, heightPx: 1_080 })),
  ...Object.entries(CODINGS).map(([name, shape]) => playing(name, 'tcp', shaped(shape))),
  ...['interlaced, MBAFF', 'four slices', 'key frames only'].map((name) =>
    playing(name, 'worker', shaped(CODINGS[name]!)),
  ),
  ...[1, 2, 3].map((bframes) => playing(`${bframes} consecutive B pictures`, 'tcp', reordered(bframes))),
  playing('2 consecutive B pictures', 'udp', reordered(2)),
  playing('2 consecutive B pictures', 'worker', reordered(2)),
  ...Object.entries(NALUS).map(([name, clip]) => playing(name, 'tcp', clip)),
  playing('delimiter, filler and SEI', 'worker', NALUS['delimiter, filler and SEI']!),
  playing(
    'key frames of 150 kB',
    'udp',
    shaped({ widthPx: 1_280, heightPx: 720, gopSec: 2, bitrateBitsPerSec: 6_000_000 }),
  ),
  ...parameterSets,
  plays({ group, name: 'no fmtp at all', reading: 'tcp', start: camera({ habits: noFmtp }) }),
  plays({
    group,
    name: 'parameter sets that end in a start code (GW Security)',
    reading: 'tcp',
    start: camera({ habits: startCodeInSprop }),
  }),
  ...changes,
];
