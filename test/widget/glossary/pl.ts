// Polish.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'ty, as BLIK and Polish banks do, with a capital in “Twój”. No past tense in the second person (it has a gender): “jeśli płatność już wykonano”. Buttons: imperative (“Kopiuj kod”).',
  say: {
    wallet: 'portfel',
    walletApp: 'aplikacj[aięi] portfela',
    walletWebsite: 'stron[aęiy] portfela|stronie portfela',
    walletId: 'ID portfela',
    payment: 'płatnoś',
    paymentService: 'serwis(em|ie) płatności',
    order: 'zamówieni',
    shop: 'sklep',
    amount: 'kwot',
    code: 'kod',
    image: 'obraz',
    device: 'urządzeni',
    request: 'proś',
    confirm: 'potwierd',
    logIn: 'zaloguj|zalogowanie',
    website: 'stron',
    connection: 'połączeni',
    method: 'metoda płatności',
    anotherWay: 'w inny sposób',
    tryAgain: 'spróbuj ponownie|spróbować ponownie',
    chargedTwice: 'nie zostaną pobrane dwa razy',
    payTwice: 'inaczej zapłacisz dwa razy',
    noMoney: 'nie pobrano żadnych środków',
    countsIfPaid: 'zostanie uwzględniona',
  },
  never: {
    'stron\\S+ płatności': 'English says the wallet’s website',
    otwart: 'a payment that is “open” is a calque: it is not finished yet',
    ważna: 'the payment counts; “ważna” sounds as if it could expire',
    najwyżej: 'stiff beside an amount: “maksymalnie”',
    'usług\\S* płatnicz': 'legal language; one says “serwis płatności”',
    '(łeś|łaś)(?!\\p{L})': 'assumes the shopper’s gender',
  },
} satisfies Glossary;
