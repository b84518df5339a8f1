import { describe, expect, it } from 'vitest';
import { Secret } from '../core/secret.ts';
import { readSoapBody, type SoapMessage, soapContentType, soapEnvelope } from './soap.ts';
import { descendant, parseXml, textOf } from './xml-element.ts';

const MESSAGE: SoapMessage = { body: '<a/>', action: 'http://example/a' };
const fault = (inside: string) =>
  `<e:Envelope xmlns:e="e"><e:Body><e:Fault>${inside}</e:Fault></e:Body></e:Envelope>`;

describe('soapEnvelope', () => {
  it('has the digest of the UsernameToken profile (ONVIF Application Programmer’s Guide §6.1.1.3)', () => {
    const signature = {
      login: { username: 'user', password: new Secret('userpassword') },
      createdEpochMs: Date.UTC(2010, 8, 16, 7, 50, 45),
      nonce: Buffer.from('LKqI6G/AikKCQrN0zqZFlg==', 'base64'),
    };
    const header = descendant(parseXml(soapEnvelope(MESSAGE, signature, null)), 'Header')!;
    // OpenSSL's digest: the guide's time has no milliseconds.
    expect(textOf(header, 'Created')).toBe('2010-09-16T07:50:45.000Z');
    expect(textOf(header, 'Nonce')).toBe('LKqI6G/AikKCQrN0zqZFlg==');
    expect(textOf(header, 'Password')).toBe('GWk9UqNXKG2Mstn03A/oF+HQr84=');
  });

  it('names the operation and the subscription where they are needed', () => {
    expect(soapContentType(MESSAGE)).toBe('application/soap+xml; charset=utf-8; action="http://example/a"');
    const address = { to: 'http://h/?a&b', messageId: 'urn:uuid:1', parameters: '<I xmlns="i">7</I>' };
    const header = descendant(parseXml(soapEnvelope(MESSAGE, null, address)), 'Header')!;
    expect(['Action', 'To', 'MessageID', 'I'].map((name) => textOf(header, name))).toEqual([
      'http://example/a',
      'http://h/?a&b',
      'urn:uuid:1',
      '7',
    ]);
    expect(soapEnvelope(MESSAGE, null, null)).not.toContain('Header');
  });
});

describe('readSoapBody', () => {
  it.each([
    ['ter:NotAuthorized', 'ONVIF_NOT_AUTHENTICATED'],
    ['wsse:FailedAuthentication', 'ONVIF_NOT_AUTHENTICATED'],
    ['ter:ActionNotSupported', 'ONVIF_NOT_SUPPORTED'],
    ['ter:OptionalActionNotImplemented', 'ONVIF_NOT_SUPPORTED'],
    ['ter:InvalidArgVal', 'ONVIF_REFUSED'],
  ])('tells %s apart, in SOAP 1.2 and 1.1', (code, expected) => {
    const nested = `<e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>${code}</e:Value></e:Subcode></e:Code>`;
    expect(() => readSoapBody(fault(nested))).toThrow(expect.objectContaining({ code: expected }));
    expect(() => readSoapBody(fault(`<faultcode>${code}</faultcode>`))).toThrow(
      expect.objectContaining({ code: expected }),
    );
  });

  it('gives the camera’s reason in one line', () => {
    const reason = `<e:Reason><e:Text>Sender not\n Authorized\u009b31m ${'x'.repeat(500)}</e:Text></e:Reason>`;
    const context = { reason: expect.stringMatching(/^Sender not Authorized 31m x{160,180}$/) };
    expect(() => readSoapBody(fault(reason))).toThrow(expect.objectContaining({ context }));
  });
});
