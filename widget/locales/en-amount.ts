// English of the amount that the shopper enters.

export const enAmount = {
  between: 'Between {min} and {max}',
  amountEmpty: 'Enter an amount.[| {hint}.]',
  amountWrong: 'Enter the amount in digits, for example {example}.',
  amountDecimals: 'Too many decimals. Enter it like this: {example}.',
  below: 'Enter {min} or more.',
  above: 'Enter {max} or less.',
} as const;
