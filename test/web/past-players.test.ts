import { describePastPlayers } from './past-players.ts';

describePastPlayers({ codec: 'h264', hlsQuery: '' });
