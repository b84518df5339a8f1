import { beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { NOT_CHECKED } from '../../stream/camera-connection.ts';
import { StateBoard } from './state-board.ts';
import type { CameraWord } from './state-messages.ts';

const [CAMERA, OTHER_CAMERA] = [newRuuid(), newRuuid()];
const A = { nodeId: 'a', runId: newRuuid() };
const B = { nodeId: 'b', runId: newRuuid() };
const [LINK, NEXT_LINK] = [{}, {}];

describe('StateBoard', () => {
  let heard: [Ruuid, number | null][];
  let board: StateBoard;
  beforeEach(() => {
    heard = [];
    board = new StateBoard({ onHeard: (camera, word) => heard.push([camera, word?.fence ?? null]) });
  });

  it('lets the node speak that has the newest fence', () => {
    board.hear(A, LINK, [[CAMERA, word(1)]]);
    board.hear(B, LINK, [[CAMERA, word(2)]]);
    board.hear(A, LINK, [[CAMERA, word(1)]]);
    expect(board.speakerOf(CAMERA)).toMatchObject({ run: B, word: { fence: 2 } });
    expect(board.say(CAMERA, word(1))).toBe(false);
    expect(board.say(CAMERA, word(3))).toBe(true);
    board.hear(B, LINK, [[CAMERA, word(2)]]);
    expect(board.ownWord(CAMERA)?.fence).toBe(3);
    board.hear(B, LINK, [[CAMERA, word(4)]]);
    expect([board.ownWord(CAMERA), board.own()]).toEqual([null, []]);
    expect(heard).toEqual([1, 2, 4].map((fence) => [CAMERA, fence]));
  });

  it('drops what a node takes back, and nothing that another one said', () => {
    board.hear(A, LINK, [
      [CAMERA, word(1)],
      [OTHER_CAMERA, word(1)],
    ]);
    board.hear(B, LINK, [[CAMERA, word(2)]]);
    board.hear(A, LINK, [
      [CAMERA, null],
      [OTHER_CAMERA, null],
    ]);
    expect(board.speakerOf(CAMERA)?.run).toBe(B);
    expect(board.speakerOf(OTHER_CAMERA)).toBeNull();
    expect(heard.at(-1)).toEqual([OTHER_CAMERA, null]);
  });

  it('drops what a node did not say again over a new link', () => {
    board.hear(A, LINK, [
      [CAMERA, word(1)],
      [OTHER_CAMERA, word(1)],
    ]);
    board.hear(A, NEXT_LINK, [[CAMERA, word(1)]]);
    expect(board.speakerOf(OTHER_CAMERA)).not.toBeNull();
    board.complete(A, NEXT_LINK);
    expect(board.speakerOf(CAMERA)).not.toBeNull();
    expect(board.speakerOf(OTHER_CAMERA)).toBeNull();
  });

  it('forgets what a node that is gone has said', () => {
    board.hear(A, LINK, [[CAMERA, word(1)]]);
    board.hear(B, LINK, [[OTHER_CAMERA, word(1)]]);
    board.forget(A);
    expect([board.speakerOf(CAMERA), board.speakerOf(OTHER_CAMERA)?.run]).toEqual([null, B]);
    expect(heard.at(-1)).toEqual([CAMERA, null]);
  });
});

function word(fence: number): CameraWord {
  return {
    fence,
    isOwner: true,
    facts: {
      report: { streamState: 'live', main: NOT_CHECKED, sub: null },
      sound: { state: 'unknown', encoding: null, isAlone: false },
      clock: null,
      recording: null,
    },
  };
}
