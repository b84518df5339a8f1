/** Which streams of a camera its renditions are, and which ones an interest opens. */

import type { Audience, Content, Interest, ManifestVideo, RenditionName } from './live-media.ts';

/** `h264`: the main stream, transcoded. */
export type ProfileName = 'main' | 'sub' | 'h264';

/** A packaged content and its stream. */
export type Packaging = readonly [profile: ProfileName, content: Content];

export const RENDITIONS: Readonly<Record<RenditionName, Packaging>> = {
  main: ['main', 'sound'],
  'main-silent': ['main', 'silent'],
  'main-audio': ['main', 'audio'],
  sub: ['sub', 'sound'],
  'sub-silent': ['sub', 'silent'],
  h264: ['h264', 'sound'],
  'h264-silent': ['h264', 'silent'],
};

/** Audio alone is that of the main stream, whichever video plays with it. */
export const PACKAGED_FOR: Readonly<Record<Interest, readonly Packaging[]>> = {
  sound: [RENDITIONS.main, RENDITIONS.sub],
  silent: [RENDITIONS['main-silent'], RENDITIONS['sub-silent']],
  audio: [RENDITIONS['main-audio']],
  h264: [RENDITIONS.h264],
  'h264-silent': [RENDITIONS['h264-silent']],
  units: [],
};

/** The renditions that make up a manifest. */
export const MANIFEST_INTERESTS = {
  camera: { sound: ['silent', 'audio'], silent: ['silent'] },
  transcoded: { sound: ['h264-silent', 'audio'], silent: ['h264-silent'] },
} as const satisfies Readonly<Record<ManifestVideo, Readonly<Record<Audience, readonly Interest[]>>>>;

export function renditionName(profile: ProfileName, content: Content): RenditionName {
  if (content === 'sound') return profile;
  return content === 'audio' ? 'main-audio' : `${profile}-silent`;
}

/** The interest that a request for a rendition expresses. */
export function interestOf(rendition: RenditionName): Interest {
  const [profile, content] = RENDITIONS[rendition];
  if (profile !== 'h264') return content;
  return content === 'silent' ? 'h264-silent' : 'h264';
}
