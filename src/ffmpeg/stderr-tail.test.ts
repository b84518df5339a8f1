import { describe, expect, it } from 'vitest';
import { MAX_LINE_CHARS, MAX_LINES, redactUrls, StderrTail } from './stderr-tail.ts';

describe('StderrTail', () => {
  it('joins pieces of lines and ends lines at carriage returns too', () => {
    const tail = new StderrTail();
    for (const piece of ['on', 'e\ntw', 'o\rthree\n\n', 'fo', 'ur']) tail.push(Buffer.from(piece));
    expect(tail.lines).toEqual(['one', 'two', 'three']);
    tail.end();
    expect(tail.lines.at(-1)).toBe('four');
  });

  it('keeps a bounded number of bounded lines, whatever the worker writes', () => {
    const tail = new StderrTail();
    for (let line = 0; line < 1_000; line++) tail.push(Buffer.from(`${line}\n`));
    expect(tail.lines).toHaveLength(MAX_LINES);
    expect(tail.lines.at(-1)).toBe('999');
    for (let chunk = 0; chunk < 100; chunk++) tail.push(Buffer.alloc(10_000, 'x'));
    tail.end();
    expect(tail.lines.at(-1)).toHaveLength(MAX_LINE_CHARS);
  });

  it('shows no credentials, neither in what it keeps nor to its listener', () => {
    const seen: string[] = [];
    const tail = new StderrTail((line) => seen.push(line));
    tail.push(Buffer.from("[concat] Impossible to open 'rtsp://admin:pa@ss@10.0.0.5/a?b=c@d'\n"));
    expect([seen, tail.lines]).toEqual(Array(2).fill([expect.not.stringMatching(/admin|pa@ss/)]));
  });
});

describe('redactUrls', () => {
  it.each([
    ['rtsp://u:p@h/a', 'rtsp://h/a'],
    ["open 'rtsp://u:p@ss@h:554/a' and tcp://v@w", "open 'rtsp://h:554/a' and tcp://w"],
    ['mail a@b.c about rtsp://h/a', 'mail a@b.c about rtsp://h/a'],
  ])('brings %s to %s', (text, redacted) => {
    expect(redactUrls(text)).toBe(redacted);
  });
});
