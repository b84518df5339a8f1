import { describe, expect, test } from 'vitest';
import { writePictureMessage } from '../../src/front-door/pictures/picture-message.ts';
import { pictureOf, SPS, videoTrack } from '../../src/stream/pictures/picture-fixture.ts';
import { codecOf, readPictureMessage } from '../../web/picture-message.ts';

function messageOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

describe('a message as the page reads it', () => {
  test('is what the gateway wrote', () => {
    const written = pictureOf(7, true);
    const picture = readPictureMessage(messageOf(writePictureMessage(written)))!;
    expect([picture.isKey, picture.epochMs]).toEqual([true, written.epochMs]);
    expect([...picture.data.subarray(0, 4 + SPS.length)]).toEqual([0, 0, 0, 1, ...SPS]);
    expect(codecOf(picture)).toBe(written.track.codecString);
    expect(readPictureMessage(messageOf(writePictureMessage(pictureOf(8, false))))!.isKey).toBe(false);
  });

  test('may have items of types that the page does not know', () => {
    const message = writePictureMessage(pictureOf(7, true));
    const unknown = Uint8Array.of(3, 0, 0, 2, 1, 2);
    const picture = readPictureMessage(messageOf(Buffer.concat([unknown, message])));
    expect(picture?.epochMs).toBe(pictureOf(7, true).epochMs);
  });

  test('is nothing when it was cut off anywhere', () => {
    const message = writePictureMessage(pictureOf(7, true));
    for (let length = 0; length < message.length; length++) {
      expect(readPictureMessage(messageOf(message.subarray(0, length)))).toBeNull();
    }
  });

  test('names a codec only when it begins with an SPS', () => {
    const delta = readPictureMessage(messageOf(writePictureMessage(pictureOf(8, false))))!;
    expect(codecOf(delta)).toBeNull();
    const track = videoTrack(Uint8Array.of(0x67, 0x64));
    const short = readPictureMessage(
      messageOf(
        writePictureMessage({ ...pictureOf(7, true), track: { ...track, pps: [] }, data: new Uint8Array(0) }),
      ),
    )!;
    expect(codecOf(short)).toBeNull();
  });
});
