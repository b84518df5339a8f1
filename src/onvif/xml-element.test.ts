import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import { descendant, descendants, escapeXml, parseXml, textOf } from './xml-element.ts';

const XML =
  '<?xml version="1.0"?><!-- a > b --><s:a xmlns:s="x" k=\'1 > 0\'>&lt;&#65;&#x42;<b t="&quot;"/><c><![CDATA[<d>]]></c>' +
  '<c> two </c></s:a>\n';

describe('parseXml', () => {
  it('reads elements, attributes and text', () => {
    const root = parseXml(XML);
    expect([root.name, root.attributes.get('k'), root.text]).toEqual(['a', '1 > 0', '<AB']);
    expect(descendant(root, 'b')?.attributes.get('t')).toBe('"');
    expect(descendants(root, 'c').map(({ text }) => text)).toEqual(['<d>', ' two ']);
    expect([textOf(root, 'c'), textOf(root, 'b'), textOf(root, 'd')]).toEqual(['<d>', null, null]);
  });

  it('reads a bare ampersand in a URL the way the camera means it', () => {
    const root = parseXml('<a t="&amp;x&y">rtsp://10.0.0.8/s?user=a&channel=1&#38;sub=&quot;0&amp;</a>');
    expect(root.text).toBe('rtsp://10.0.0.8/s?user=a&channel=1&sub="0&');
    expect(root.attributes.get('t')).toBe('&x&y');
  });

  it('refuses incomplete documents', () => {
    const whole = XML.trimEnd();
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => parseXml(whole.slice(0, length))).toThrow(GatewayError);
    }
  });

  it.each([
    [
      '',
      '<a/><b/>',
      '< a/>',
      '<a></b>',
      '</a>',
      '<a/>x',
      '<a',
      '<a k="></a>',
      '<!DOCTYPE a><a/>',
      '<a><!ELEMENT b></a>',
    ],
    [
      '<a>'.repeat(100),
      `<a>${'<b/>'.repeat(30_000)}</a>`,
      `<a ${'k'.repeat(9_000)}/>`,
      `<a>${' '.repeat(600_000)}</a>`,
    ],
  ])('refuses %j and the like', (...texts) => {
    for (const text of texts) expect(() => parseXml(text)).toThrow(GatewayError);
  });

  it('reads back any text that was escaped, and throws nothing but its own error', () => {
    const runs = randomRuns(2_000);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseXml(`<a k="${escapeXml(text)}">${escapeXml(text)}</a>`).text).toBe(text);
      }),
      runs,
    );
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '<a',
      '</a>',
      '"',
      "'",
      '=',
      '&',
      ';',
      '<!--',
      '-->',
      ']]>',
      'a',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        try {
          parseXml(pieces.join(''));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
        }
      }),
      runs,
    );
  });
});
