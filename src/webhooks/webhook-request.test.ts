import { describe, expect, it } from 'vitest';
import { webhookHeaders, webhookUrl } from './webhook-request.ts';

describe('webhookUrl', () => {
  it.each(['https://hook.example/a?b=c', 'http://hook.example:8080'])('takes %s', (text) => {
    expect(webhookUrl(text).href).toBe(new URL(text).href);
  });

  it.each([
    '',
    'hook.example',
    'ftp://hook.example/',
    'file:///etc/passwd',
    'https://user@hook.example/',
    'https://:pass@hook.example/',
    'https://hook.example/#part',
    'http://hook.example:25/',
    'http://hook.example:6379/',
    `https://hook.example/${'x'.repeat(2_048)}`,
  ])('refuses %s', (text) => {
    expect(() => webhookUrl(text)).toThrow(expect.objectContaining({ code: 'WEBHOOK_URL_INVALID' }));
  });
});

describe('webhookHeaders', () => {
  it('lowers names', () => {
    expect({ ...webhookHeaders({ 'X-Key': 'v', Authorization: 'Basic x' }) }).toEqual({
      'x-key': 'v',
      authorization: 'Basic x',
    });
  });

  it.each([
    [{ 'a b': 'v' }],
    [{ a: 'v\r\nb: c' }],
    [{ '': 'v' }],
    [{ Host: 'elsewhere' }],
    [{ 'Content-Length': '0' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ 'X-Sluice-Signature': 'v' }],
    [{ a: '1', A: '2' }],
    [{ a: 'x'.repeat(8_192) }],
    [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 'v']))],
  ])('refuses %j', (headers) => {
    expect(() => webhookHeaders(headers)).toThrow(
      expect.objectContaining({ code: 'WEBHOOK_HEADERS_INVALID' }),
    );
  });
});
