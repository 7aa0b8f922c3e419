"""What the parser says of a text that is no WGSL, and where: `§` stands before the token that the message is about."""

import pytest

from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import Source, SyntaxProblem


def refusal(marked: str) -> str:
    """The message for a text; checks that it is about the marked place."""
    before, sign, after = marked.partition("§")
    assert sign
    with pytest.raises(SyntaxProblem) as caught:
        parse(before + after)
    assert caught.value.start == len(before), caught.value.message
    return caught.value.message


IN_A_FUNCTION = {
    "let a = 1 §let b = 2;": "expected ';' behind the value, found 'let'",
    "let a§;": "expected '=' behind the name and type of a value, found ';'",
    "let a = §;": "expected an expression, found ';'",
    "let a = 1 + §;": "expected an expression, found ';'",
    "let §if = 1;": "expected the name of a value, found the keyword 'if'",
    "let §1 = 1;": "expected the name of a value, found '1'",
    "let a: §1 = 1;": "expected a type, found '1'",
    "let a = b.§if;": "expected a member or a swizzle, found the keyword 'if'",
    "let a = (b§;": "expected ')' behind the expression in parentheses, found ';'",
    "let a = b[1§;": "expected ']' behind the index, found ';'",
    "let a = f(1 §2);": "expected ')' behind the arguments, found '2'",
    "let a = f(§,);": "expected an expression, found ','",
    "let a = array<u32, 2 §3>();": "expected '>' behind the template parameters, found '3'",
    "let a = array<§>();": "expected an expression, found '>'",
    "let a = b & c §| d;": "'|' behind '&' needs parentheses around one of the two",
    "let a = b < c §== d;": "'==' behind '<' needs parentheses around one of the two",
    "let a = b && c §|| d;": "'||' behind '&&' needs parentheses around one of the two",
    "let a = 1 << 2 §<< 3;": "'<<' behind '<<' needs parentheses around one of the two",
    "let a = 1 + 2 §<< 3;": "'<<' behind '+' needs parentheses around one of the two",
    "let a = b§++;": "expected ';' behind the value, found '++'",
    "const a: u32§;": "expected '=' behind the name and type of a constant, found ';'",
    "var §= 1;": "expected the name of a variable, found '='",
    "a §b;": "expected an assignment, an increment or a call, found 'b'",
    "a.b§();": "expected an assignment, an increment or a call, found '('",
    "a§;": "expected an assignment, an increment or a call, found ';'",
    "(f())§;": "expected an assignment, an increment or a call, found ';'",
    "a §+ b;": "expected an assignment, an increment or a call, found '+'",
    "vec2<u32>§.x = 1;": "expected '(' behind a template list in a statement, found '.'",
    "(§1) = 2;": "expected a variable, '*', '&' or '(', found '1'",
    "_ §+= 1;": "expected '=' behind '_', found '+='",
    "a = 1§}": "expected ';' behind the assignment, found '}'",
    "f()§}": "expected ';' behind the call, found '}'",
    "return 1§}": "expected ';' behind the return statement, found '}'",
    "break§}": "expected ';' behind 'break', found '}'",
    "§1 = 2;": "expected a statement, found '1'",
    "§fn g() { }": "expected a statement, found 'fn'",
    "§else { }": "expected a statement, found 'else'",
    "§case 1 { }": "expected a statement, found 'case'",
    "if a §b = 1;": "expected '{' before the body of 'if', found 'b'",
    "if a { } else §b = 1;": "expected '{' before the body of 'else', found 'b'",
    "while §{ }": "expected an expression, found '{'",
    "for §;": "expected '(' behind 'for', found ';'",
    "for (var i = 0§) { }": "expected ';' behind the initializer of 'for', found ')'",
    "for (;;a = 1§;) { }": "expected ')' behind the head of 'for', found ';'",
    "for (§if;;) { }": "expected a variable, '*', '&' or '(', found 'if'",
    "switch a { §}": "expected 'case' or 'default', found '}'",
    "switch a { case §{ } }": "expected an expression, found '{'",
    "switch a { default { } §; }": "expected 'case' or 'default', found ';'",
    "switch a { case 1, 2 §b }": "expected '{' before the body of a clause, found 'b'",
    "loop { continuing { } §a = 1; }": "expected a statement or '}', found 'a'",
    "loop { { §continuing { } } }": "'continuing' may only end the body of a loop",
    "§continuing { }": "'continuing' may only end the body of a loop",
    "loop { §break if a; }": "'break if' may only end a continuing block",
    "loop { continuing { break if a; §b = 1; } }": "expected a statement or '}', found 'b'",
    "loop { continuing { if b { §break if a; } } }": "'break if' may only end a continuing block",
    "§@diagnostic(off, a) a = 1;": "attributes are not allowed before 'a'",
    "if a { } else @diagnostic(off, a) §if b { }": "expected '{' before the body of 'else', found 'if'",
    "@diagnostic(§never, a) { }": "expected one of the severities error, warning, info, off, found 'never'",
    "@diagnostic(off §a) { }": "expected ',' behind the severity, found 'a'",
    "@diagnostic(off, §1) { }": "expected a diagnostic rule, found '1'",
    "@diagnostic(off, a.b§.c) { }": "expected ')' behind the diagnostic rule, found '.'",
}
AT_MODULE_SCOPE = {
    "§}": "expected a declaration, found '}'",
    "§let a = 1;": "expected a declaration, found 'let'",
    "§a = 1;": "expected a declaration, found 'a'",
    "const a = 1; §enable f16;": "directives must stand before all declarations",
    "; §enable f16;": "directives must stand before all declarations",
    "enable §;": "expected an extension, found ';'",
    "enable f16 §f32;": "expected ';' behind the extensions, found 'f32'",
    "requires §(a);": "expected a language feature, found '('",
    "diagnostic §off;": "expected '(' behind 'diagnostic', found 'off'",
    "fn f§;": "expected '(' behind the name of a function, found ';'",
    "fn f()§;": "expected '{' before the body of the function, found ';'",
    "fn f(a§) { }": "expected ':' behind the name of a parameter, found ')'",
    "fn f(a: u32 §b: u32) { }": "expected ')' or ',' behind the parameters, found 'b'",
    "fn f() -> §{ }": "expected a type, found '{'",
    "fn f() {§": "expected a statement or '}', found the end of the text",
    "struct S { §}": "expected the name of a member, found '}'",
    "struct S { a: u32§; }": "expected '}' or ',' behind the member of a structure, found ';'",
    "alias a§: u32;": "expected '=' behind the name of an alias, found ':'",
    "§var<a, b, c> d: u32;": "'var' takes an address space and an access mode",
    "var<§> a: u32;": "expected an expression, found '>'",
    "§@id(1) const a = 1;": "attributes are not allowed before 'const'",
    "§@id(1) struct S { a: u32 }": "attributes are not allowed before 'struct'",
    "§@id(1) ;": "attributes are not allowed before ';'",
    "@§what fn f() { }": "there is no attribute 'what'",
    "@§const fn f() { }": "expected an attribute, found the keyword 'const'",
    "@compute§() fn f() { }": "'@compute' takes no arguments",
    "§@align fn f() { }": "'@align' takes one argument, found 0",
    "§@workgroup_size(1, 2, 3, 4) fn f() { }": "'@workgroup_size' takes 1 to 3 arguments, found 4",
    "fn f(§@builtin(1 + 1) a: u32) { }": "the arguments of '@builtin' are names",
    "const a = §": "expected an expression, found the end of the text",
}


@pytest.mark.parametrize("marked", IN_A_FUNCTION)
def test_messages_in_a_function(marked: str) -> None:
    assert refusal(f"fn f() {{ {marked} }}") == IN_A_FUNCTION[marked]


@pytest.mark.parametrize("marked", AT_MODULE_SCOPE)
def test_messages_at_module_scope(marked: str) -> None:
    assert refusal(marked) == AT_MODULE_SCOPE[marked]


def test_a_long_token_is_cut_short_in_messages() -> None:
    assert refusal(f"§{'a' * 100}") == f"expected a declaration, found '{'a' * 40}...'"


def test_line_and_column() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse("// é\r\nfn f() {\n\tlet a = 1\n}\n")
    assert Source("// é\r\nfn f() {\n\tlet a = 1\n}\n").position(caught.value.start) == (4, 1)
