// Portuguese (Portugal).
import type { Glossary } from '../glossary.ts';

export default {
  address: 'third person without pronoun, as Portuguese banks do. Buttons: infinitive (“Copiar código”).',
  say: {
    wallet: 'carteira',
    walletApp: 'aplicação da (sua )?carteira',
    walletWebsite: 'site da carteira',
    walletId: 'ID d(e|a|a sua) carteira',
    payment: 'pagamento',
    paymentService: 'serviço de pagamento',
    order: 'encomenda',
    shop: 'loja',
    amount: 'montante',
    code: 'código',
    image: 'imagem',
    device: 'dispositivo',
    request: 'pedido',
    confirm: 'confirm',
    logIn: 'inici(e|ar) sessão',
    website: 'site',
    connection: 'ligação',
    method: 'método de pagamento',
    anotherWay: 'de outra forma',
    tryAgain: 'tent(e|ar) novamente',
    chargedTwice: 'O valor não será cobrado duas vezes',
    payTwice: 'caso contrário, pagará duas vezes',
    noMoney: 'não foi cobrado qualquer valor',
    countsIfPaid: 'o seu pagamento é válido',
  },
  // The first sentence has just named the wallet.
  without: { walletApp: ['walletEmpty'] },
  never: {
    'página de pagamento': 'English says the wallet’s website',
    '\\b(você|celular|tela|aplicativo|app)\\b': 'as in Brazil',
    'em segurança': 'means “in a safe place”; the meaning is “sem qualquer risco”',
    'pagamento a mais': 'colloquial for “pagamento adicional”',
    'ligação de pagamento': '“ligação” is the connection here, a link is a “link”',
  },
} satisfies Glossary;
