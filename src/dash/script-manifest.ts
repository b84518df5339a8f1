/**
 * A manifest for scripts of the API family that parse it themselves: they read `initialization`, `media` and `startNumber` of the
 * first `Period/AdaptationSet/SegmentTemplate`, resolve no BaseURL, and put the names in place of `file.mpd` in the URL that
 * they requested. Its names are those of the folder `SCRIPT_FOLDER`, where players find them, and of the folder of a device.
 */

import { MANIFEST_NAME, STREAM_NAMES, type StreamId } from './media-names.ts';

/** Next to the usual manifest. In it, the main stream's video is next to the manifest, and other streams are in their folders. */
export const SCRIPT_FOLDER = 'beside';
export const SCRIPT_MANIFEST_PATH = `${SCRIPT_FOLDER}/${MANIFEST_NAME}`;

/** Where media of a stream are in that folder, as a suffix of a path: '' or `/<folder>`. */
export function scriptPath(id: StreamId): string {
  return id === 'main' ? '' : `/${STREAM_NAMES[id].folder}`;
}

/** As renderManifest writes it. */
const VIDEO_SET = /<AdaptationSet [^>]*contentType="video"[^>]*>\n.*?<\/AdaptationSet>\n/gs;
const FIRST_TEMPLATE =
  /^(<AdaptationSet [^>]*>\n)(<Representation [^>]*>)(<SegmentTemplate [^>]*>.*?<\/SegmentTemplate>)(.*)$/s;
const TEMPLATE = /<SegmentTemplate [^>]*>/g;
const MAIN_FOLDER = `="${STREAM_NAMES.main.folder}/`;
const OFFSET = ' availabilityTimeOffset=';
/** The attributes that override the ones a template would inherit (ISO/IEC 23009-1 §5.3.9.1). */
const NO_OFFSET = `${OFFSET}"0" availabilityTimeComplete="true"`;

/** `text`: a manifest of this gateway without BaseURL. */
export function scriptManifest(text: string): string {
  return text.replaceAll(VIDEO_SET, withTemplateOfSet);
}

/** The first representation's template becomes that of the set. The others keep theirs, which override it. */
function withTemplateOfSet(set: string): string {
  const [, setTag, representationTag, template, rest] = FIRST_TEMPLATE.exec(set) ?? [];
  if (setTag === undefined || template === undefined || rest === undefined) return set;
  const others = template.includes(OFFSET) ? rest.replaceAll(TEMPLATE, withoutOffset) : rest;
  return `${setTag}${template.replaceAll(MAIN_FOLDER, '="')}\n${representationTag}${others}`;
}

function withoutOffset(tag: string): string {
  return tag.includes(OFFSET) ? tag : `${tag.slice(0, -1)}${NO_OFFSET}>`;
}
