import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsString, MaxLength } from 'class-validator';
import { OptionalField } from '../../http/server/openapi.js';
import { IsSlug, IsText } from '../../http/server/validation.js';

export class SignInTokenRequest {
  @OptionalField({
    type: String,
    nullable: true,
    description: 'Random id chosen by the app installation; not a device id.',
  })
  @IsText(/^[A-Za-z0-9._:-]{1,255}$/, '1 to 255 of the characters A-Z, a-z, 0-9, ., _, : and -')
  installation_id?: string | null;
}

export class SignInTokenDto {
  @ApiProperty({ format: 'uuid', description: 'Upstream user id.' })
  user_id: string;

  @ApiProperty({ description: 'Short-lived secret: pass it to the SDK and do not store it.' })
  sign_in_token: string;
}

export class LinkTokenRequest {
  @OptionalField({
    type: String,
    nullable: true,
    description: 'Provider to open directly; null lets the person choose.',
  })
  @IsSlug()
  provider?: string | null;

  @OptionalField({ type: [String], nullable: true, description: 'Providers to show; null shows all.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @IsSlug({ each: true })
  filter_on_providers?: string[] | null;

  @OptionalField({
    type: String,
    nullable: true,
    description:
      'URL to which the browser returns, with link_attempt_id added; its origin must be in ' +
      'APP_LINK_REDIRECT_ORIGINS.',
  })
  @IsString()
  @MaxLength(2_048)
  redirect_url?: string | null;

  @OptionalField({ enum: ['redirect'], nullable: true })
  on_error?: 'redirect' | null;

  @OptionalField({ enum: ['redirect'], nullable: true })
  on_close?: 'redirect' | null;
}

export class LinkTokenDto {
  @ApiProperty({ description: 'Secret, valid for one attempt.' })
  link_token: string;

  @ApiProperty({ description: 'URL of the hosted page, including the token; empty if upstream sent none.' })
  link_web_url: string;

  @ApiProperty({ format: 'uuid' })
  link_attempt_id: string;
}
