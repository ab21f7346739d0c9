import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ChainVerifier } from './chain-verifier.js';
import { type CheckpointKeyDto, CheckpointKeysDto } from './verification.dto.js';

/**
 * Public keys, for whoever sets up the keeping of checkpoints. For operators of every role and not for everybody: a
 * key is worth as much as the way it came, so it is to be taken once and kept, not fetched along with each proof.
 */
@ApiTags('access-log')
@ForOperators()
@Controller('admin/v1/access-log/checkpoint-keys')
export class CheckpointKeysController {
  constructor(private readonly verifier: ChainVerifier) {}

  @Get()
  @Role('monitor')
  @ApiOperation({ summary: 'Public keys that checkpoints and removals of the access log are signed with (RFC 7517)' })
  @ApiOkResponse({ type: CheckpointKeysDto })
  list(): CheckpointKeysDto {
    const keys = this.verifier.keys.map(({ id, x, pem }): CheckpointKeyDto => {
      return { kid: id, kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', x, pem };
    });
    return { keys };
  }
}
