/** How a client responds to requests from a server (RFC 2326 §10, table 2). */

import type { RtspHeaderField } from './headers.ts';
import type { RtspRequest } from './message.ts';

export interface ServerRequestResponse {
  readonly statusCode: number;
  readonly reasonPhrase: string;
  readonly fields: readonly RtspHeaderField[];
  /** Effect on the session. ANNOUNCE has none: changed parameter sets come in band too. */
  readonly effect: 'none' | 'redirect' | 'teardown';
}

const PUBLIC = 'OPTIONS, GET_PARAMETER, SET_PARAMETER, ANNOUNCE, REDIRECT, TEARDOWN';

export function respondServerRequest(request: RtspRequest): ServerRequestResponse {
  switch (request.method) {
    case 'OPTIONS':
      return ok('none', [['Public', PUBLIC]]);
    case 'GET_PARAMETER':
    case 'SET_PARAMETER':
    case 'ANNOUNCE':
      return ok('none', []);
    case 'REDIRECT':
      return ok('redirect', []);
    case 'TEARDOWN':
      return ok('teardown', []);
    default:
      return {
        statusCode: 501,
        reasonPhrase: 'Not Implemented',
        fields: [['Public', PUBLIC]],
        effect: 'none',
      };
  }
}

function ok(
  effect: ServerRequestResponse['effect'],
  fields: readonly RtspHeaderField[],
): ServerRequestResponse {
  return { statusCode: 200, reasonPhrase: 'OK', fields, effect };
}
