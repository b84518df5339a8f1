import { expect, it } from 'vitest';
import { addressReach } from './public-url-request.ts';

it.each([
  ['127.0.0.1', 'this-machine'],
  ['::1', 'this-machine'],
  ['192.168.1.20', 'own-network'],
  ['100.64.0.1', 'own-network'],
  ['fd00::1', 'own-network'],
  ['fe80::1', 'own-network'],
  ['93.184.215.14', 'everyone'],
  ['2606:2800:21f:cb07::1', 'everyone'],
  ['video.example.com', 'unknown'],
])('knows who reaches %s', (address, reach) => expect(addressReach(address)).toBe(reach));
