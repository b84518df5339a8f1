/** The lenses of a camera, or the channels of a video recorder, from its profiles. Pure. */

import type { MediaProfile } from '../../onvif/media-messages.ts';

export interface OnvifChannel {
  /** null: the device does not name it. */
  readonly sourceToken: string | null;
  /** As the device calls it; null: it has no name that tells it apart. */
  readonly name: string | null;
  /** The profile of its main stream; null: the device did not tell in time where it is. */
  readonly profileToken: string | null;
}

/** `VideoSourceConfig_1`, `V_SRC_CFG_000`, `Channel1`: they count, and say no more than the order does. */
const COUNTING_NAME =
  /^(?:v|video|vs|src|source|cfg|conf|config|configuration|token|channel|ch|profile|[\s_\-.#]|\d)+$/i;

/**
 * `profiles`: those of each source one after the other, the main stream first. `opened`: tokens of profiles whose URL is
 * known. `overlays`: as of `readOverlays`.
 */
export function channelsOf(
  profiles: readonly MediaProfile[],
  opened: ReadonlySet<string>,
  overlays: ReadonlyMap<string, string>,
): OnvifChannel[] {
  const bySource = Map.groupBy(profiles, ({ sourceToken }) => sourceToken);
  return [...bySource].map(([sourceToken, ofSource]) => {
    const { sourceConfigToken, sourceName } = ofSource[0]!;
    const inPicture = sourceConfigToken === null ? undefined : overlays.get(sourceConfigToken);
    const ownName = sourceName === null || COUNTING_NAME.test(sourceName) ? null : sourceName;
    const video = ofSource.find(({ token }) => opened.has(token));
    return { sourceToken, name: inPicture ?? ownName, profileToken: video?.token ?? null };
  });
}

/** The main stream of each source before any substream: when time runs out, each channel has one. */
export function mainStreamsFirst(profiles: readonly MediaProfile[]): MediaProfile[] {
  const bySource = [...Map.groupBy(profiles, ({ sourceToken }) => sourceToken).values()];
  const most = Math.max(0, ...bySource.map(({ length }) => length));
  return Array.from({ length: most }, (_, rank) =>
    bySource.flatMap((ofSource) => ofSource[rank] ?? []),
  ).flat();
}
