import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ChainVerifier } from './chain-verifier.js';

class CheckpointKeyDto {
  @ApiProperty({
    description: 'Thumbprint of the key by RFC 7638.',
    example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  })
  kid: string;
  @ApiProperty({ enum: ['OKP'] }) kty: 'OKP';
  @ApiProperty({ enum: ['Ed25519'] }) crv: 'Ed25519';
  @ApiProperty({ enum: ['EdDSA'] }) alg: 'EdDSA';
  @ApiProperty({ enum: ['sig'] }) use: 'sig';
  @ApiProperty({ example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }) x: string;
  @ApiProperty({ description: 'The same as PEM, for openssl.', example: '-----BEGIN PUBLIC KEY-----...' }) pem: string;
}

export class CheckpointKeysDto {
  @ApiProperty({ type: [CheckpointKeyDto], description: 'The present one first; empty where none is configured.' })
  keys: CheckpointKeyDto[];
}

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
