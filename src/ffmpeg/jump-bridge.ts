/**
 * Makes ffmpeg bridge jumps of a camera's clock, like the direct engine (src/rtp/track-clock.ts). Left alone, it
 * stamps one tick per frame until the old time is reached again, or lets an hour pass between two frames, which
 * `aresample` then fills with silence.
 *
 * The expressions of ffmpeg-utils(1), "Expression Evaluation", keep their registers from one frame to the next: 0
 * holds the offset that is added to every timestamp, 1 holds the wall clock at the previous frame, and 2 and 3 belong to this
 * frame.
 */

/** DTS keeps rising over B-frames; beyond this, the camera restarted its clock. Same as in TrackClock. */
const MAX_BACKWARD_SEC = 1;
/**
 * Forward by more than this, and by more than really passed, is not a gap but a different clock. Same as in
 * TrackClock.
 */
const MAX_FORWARD_SEC = 10;
/** Both timestamps of a packet move by the same amount, although each expression reads the clock separately. */
const BRIDGE_STEPS_PER_SEC = 200;

/** The first version that surely has the bitstream filter `setts`: it came with 4.4, but we know only major versions. */
export const JUMP_BRIDGE_MAJOR = 5;

/** Bridges jumps of copied packets: `-bsf:v` or `-bsf:a`. */
export function packetJumpBridge(): string {
  const pts = bridged('PTS', 'DTS', 'PREV_INDTS', 'DURATION');
  const dts = bridged('DTS', 'DTS', 'PREV_INDTS', 'DURATION');
  return `setts=pts='${pts}':dts='${dts}'`;
}

/** The head of a filter chain for encoded video. */
export function pictureJumpBridge(): string {
  return `setpts='${bridged('PTS', 'PTS', 'PREV_INPTS', '0')}'`;
}

/** The head of a filter chain for encoded audio. */
export function soundJumpBridge(): string {
  return `asetpts='${bridged('PTS', 'PTS', 'PREV_INPTS', 'NB_SAMPLES/SR/TB')}'`;
}

/**
 * `time` plus the bridge; `clock` and `previous` reveal the jumps. A jump takes the time that really passed, and at
 * least `least` ticks.
 */
function bridged(time: string, clock: string, previous: string, least: string): string {
  const isJump = `lt(ld(2),-${MAX_BACKWARD_SEC}/TB)+gt(ld(2),(${MAX_FORWARD_SEC}+ld(3))/TB)`;
  const passed = `max(${least},floor(ld(3)*${BRIDGE_STEPS_PER_SEC})/${BRIDGE_STEPS_PER_SEC}/TB)`;
  return [
    `st(2,${clock}-${previous})`,
    // The wall clock may be set back in the meantime.
    'st(3,max(0,time(0)-ld(1)))',
    'st(1,time(0))',
    `st(0,ld(0)+if(gt(N,0)*(${isJump}),${passed}-ld(2),0))`,
    `${time}+ld(0)`,
  ].join(';');
}
